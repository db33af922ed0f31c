// What an editor with clangd shows in stubs and rungs: no error, and no CUDA Toolkit is needed.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "skip.h"
#include "support/process.h"

TEST_CASE("clangd finds no error in any stub and any rung" * doctest::test_suite("slow")) {
  if (kata::find_program("clangd").empty()) return kata::test::skip("clangd is not installed");
  std::ifstream commands(KATA_BINARY_DIR "/compile_commands.json");
  const std::regex entry(R"re("file": "(.*\.cu)")re");
  int files = 0;
  for (std::string line; std::getline(commands, line);) {
    std::smatch file;
    if (!std::regex_search(line, file, entry)) continue;
    CAPTURE(file[1].str());
    const auto checked =
        kata::run({.arguments = {"clangd", "--check=" + file[1].str(), "--check-lines=1-1",
                                 "--compile-commands-dir=" KATA_BINARY_DIR, "--log=error"},
                   .time_limit_s = 120});
    REQUIRE(checked);
    INFO(checked->errors);
    CHECK(checked->exit_status == 0);
    ++files;
  }
  CHECK(files > 0);
}
