// Where nvcc is: the table that the emulator's rule for neighbours in shared memory rests on.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "compile/toolchain.h"
#include "skip.h"
#include "support/process.h"

namespace {

/// The lines of a table that hold figures: comments have versions and dates.
std::string without_comments(std::istream&& text) {
  std::string figures;
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with("#")) figures += line + "\n";
  }
  return figures;
}

}  // namespace

TEST_CASE("nvcc makes of neighbours in shared memory what the kept table says") {
  const auto nvcc = kata::find_cuda_tool("nvcc"), python = kata::find_program("python3");
  if (nvcc.empty() || python.empty()) return kata::test::skip("nvcc or python3 is not installed");
  const auto folder = std::filesystem::path(KATA_SOURCE_DIR) / "tests" / "fidelity";
  const auto made = kata::run({{python.string(), folder / "nvcc_merges.py", nvcc.string()}});
  REQUIRE(made);
  CAPTURE(made->errors);
  REQUIRE(made->exit_status == 0);
  const std::string kept = without_comments(std::ifstream(folder / "nvcc_merges.csv"));
  CHECK(kept.size() > 100);
  CHECK(without_comments(std::istringstream(made->output)) == kept);
}
