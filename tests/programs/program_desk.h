#pragma once
// A folder for programs, and `kata run` in it.

#include <doctest/doctest.h>

#include <string>

#include "scratch.h"
#include "support/process.h"

namespace kata::test {

/// A folder to write programs in, and the program that was built.
struct Desk {
  Scratch folder;

  /// All in one shell command, so that a test may set up pipes and what else a person does.
  Finished shell(const std::string& command) const {
    const auto finished = kata::run({.arguments = {"sh", "-c", command},
                                     .environment = {{"KATA", KATA_BINARY_DIR "/kata"},
                                                     {"KATA_ROOT", KATA_SOURCE_DIR},
                                                     {"KATA_HOME", folder / "home"}},
                                     .folder = folder.path(),
                                     .time_limit_s = 120});
    REQUIRE(finished);
    return *finished;
  }
  Finished run(const std::string& words) const { return shell("\"$KATA\" run " + words); }
};

/// Exit status 2, nothing on standard output, and one line that holds `part`.
inline void check_one_line(const Finished& finished, const std::string& part) {
  INFO(finished.errors);
  CHECK(finished.exit_status == 2);
  CHECK(finished.output == "");
  CHECK(count_lines(finished.errors) == 1);
  CHECK(contains(finished.errors, part));
}

}  // namespace kata::test
