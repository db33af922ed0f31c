#pragma once
// A folder for programs, and `kata run` in it.

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <string>

#include "compilers.h"
#include "scratch.h"
#include "skip.h"
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

/// Runs `words` with one of the compilers.
inline Finished run_with(const Desk& desk, const std::string& compiler, const std::string& words) {
  return desk.shell("KATA_EMULATOR_CXX=" + compiler + " \"$KATA\" run " + words);
}

/// With each compiler the program prints `output`, and the emulator finds no fault.
inline void prints(const std::string& program, const std::string& output) {
  const Desk desk;
  desk.folder.write("program.cu", program);
  for (const std::string& compiler : compilers()) {
    const Finished finished = run_with(desk, compiler, "program.cu");
    INFO(finished.errors);
    CHECK(finished.exit_status == 0);
    CHECK(finished.output == output);
    CHECK(contains(finished.errors, "nothing found"));
  }
}

inline bool has_blas() {
  for (const char* file : {"libopenblas.so.0", "libblas.so.3"})
    if (dlopen(file, RTLD_LAZY)) return true;
  skip("libopenblas0 is not installed");
  return false;
}

}  // namespace kata::test
