// SIMD intrinsics: every function gives what an H200 gave (simd.cu).
#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "fidelity/measured.h"
#include "scratch.h"
#include "support/files.h"
#include "support/process.h"

using namespace kata;
using namespace kata::test;

TEST_CASE("SIMD intrinsics give an H200's bits for 4,096 operands each") {
  const Scratch folder;
  const auto finished = kata::run(
      {.arguments = {KATA_BINARY_DIR "/kata", "run", "--fast", fidelity_folder / "simd.cu"},
       .environment = {{"KATA_ROOT", KATA_SOURCE_DIR}, {"KATA_HOME", folder / "home"}},
       .folder = folder.path(),
       .time_limit_s = 300});
  REQUIRE(finished);
  INFO(finished->errors);
  std::istringstream got(finished->output), want(content_of(fidelity_folder / "h200_simd.txt"));
  int functions = 0;
  for (std::string expected, line; std::getline(want, expected); ++functions) {
    REQUIRE(std::getline(got, line));
    CHECK(line == expected);
  }
  CHECK(functions == 118);
}
