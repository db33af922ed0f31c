// Half and bfloat16 arithmetic: every function gives the bits that an H200 gave (half.cu).
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "fidelity/measured.h"
#include "scratch.h"
#include "support/process.h"

using namespace kata;
using namespace kata::test;

namespace {

constexpr std::size_t operands = 10000;

struct Function {
  std::string type, name;
  std::vector<std::uint16_t> words;  ///< planes of 16 bits: word `plane * operands + i`
};

std::vector<Function> functions_in(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<Function> functions;
  for (std::string line; std::getline(file, line);) {
    Function one;
    std::size_t bytes = 0;
    std::istringstream words(line);
    words >> one.type >> bytes >> std::ws;
    std::getline(words, one.name);
    one.words.resize((bytes + 1) / 2 * operands);
    file.read(reinterpret_cast<char*>(one.words.data()),
              static_cast<std::streamsize>(2 * one.words.size()));
    functions.push_back(one);
  }
  return functions;
}

/// How many operands give other results, and the number of the first.
struct Mismatches {
  std::size_t count = 0, first = operands;
};

Mismatches mismatches(const Function& got, const Function& want) {
  Mismatches result;
  for (std::size_t i = 0; i < operands; ++i) {
    bool equal = true;
    for (std::size_t at = i; at < want.words.size(); at += operands) {
      equal &= got.words[at] == want.words[at];
    }
    if (equal) continue;
    ++result.count;
    result.first = std::min(result.first, i);
  }
  return result;
}

void run_or_fail(const std::vector<std::string>& arguments, const Scratch& folder) {
  const auto finished =
      kata::run({.arguments = arguments,
                 .environment = {{"KATA_ROOT", KATA_SOURCE_DIR}, {"KATA_HOME", folder / "home"}},
                 .folder = folder.path(),
                 .time_limit_s = 300});
  REQUIRE(finished);
  INFO(finished->output << finished->errors);
  REQUIRE(finished->exit_status == 0);
}

}  // namespace

TEST_CASE("half and bfloat16 functions give an H200's bits for 10,000 operands each") {
  const Scratch folder;
  run_or_fail({"cmake", "-E", "tar", "xf", fidelity_folder / "h200_half.tar.xz"}, folder);
  run_or_fail({KATA_BINARY_DIR "/kata", "run", "--fast", fidelity_folder / "half.cu", "--",
               folder / "emulator.bin"},
              folder);
  const std::vector<Function> want = functions_in(folder / "h200_half.bin");
  const std::vector<Function> got = functions_in(folder / "emulator.bin");
  REQUIRE(want.size() > 400);
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    CAPTURE(want[i].type);
    CAPTURE(want[i].name);
    REQUIRE(got[i].name == want[i].name);
    REQUIRE(got[i].words.size() == want[i].words.size());
    const Mismatches found = mismatches(got[i], want[i]);
    CAPTURE(found.first);
    CHECK(found.count == 0);
  }
}
