// A worker under a pretended ncu: a script that takes ncu's options and prints what ncu prints.
#include <doctest/doctest.h>

#include <algorithm>

#include "grading/hardware.h"
#include "scratch.h"

using namespace kata;
using kata::test::Scratch;

namespace {

const Job profiling{.kind = Job::Kind::profile,
                    .operator_name = "softmax",
                    .module = "module.so",
                    .entry = "softmax",
                    .shapes = {{1000}}};

/// Starts the program behind its options as ncu does, then does what `after` says with $log.
std::filesystem::path pretend_ncu(const Scratch& scratch, const std::string& after) {
  return scratch.write_program("ncu",
                               "#!/bin/sh\n"
                               "echo \"$*\" >'" +
                                   (scratch / "options").string() +
                                   "'\n"
                                   "while [ \"$1\" != sh ]; do\n"
                                   "  [ \"$1\" = --log-file ] && log=$2\n"
                                   "  shift\n"
                                   "done\n"
                                   "\"$@\"\n" +
                                   after + "\n");
}

/// Answers on descriptor 3 if it was given the job.
std::filesystem::path pretend_worker(const Scratch& scratch, const std::string& answers) {
  return scratch.write_program("worker",
                               "#!/bin/sh\ngrep -q '\"softmax\"' && echo '" + answers + "' >&3\n");
}

const std::string table = "cat '" KATA_SOURCE_DIR "/tests/report/ncu_raw.csv' >\"$log\"";
const std::string done = R"({"message": "done"})";

}  // namespace

TEST_CASE("ncu is asked for every metric and its launches come back") {
  const Scratch scratch;
  const auto launches =
      run_ncu(pretend_ncu(scratch, table), pretend_worker(scratch, done), profiling);
  REQUIRE_MESSAGE(launches, launches.error().message);
  CHECK(launches->size() == 4);
  CHECK((*launches)[1].kernel == "max_kernel");
  const std::string options = test::content_of(scratch / "options");
  CHECK(options.find("--clock-control none") != std::string::npos);
  for (const std::string& metric : ncu_metrics()) CHECK(options.find(metric) != std::string::npos);
}

TEST_CASE("without permission one line says how to get it") {
  const Scratch scratch;
  const auto launches = run_ncu(
      pretend_ncu(scratch,
                  "echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to "
                  "access NVIDIA GPU Performance Counters on the target device 0.' >\"$log\""),
      pretend_worker(scratch, done), profiling);
  REQUIRE_FALSE(launches);
  CHECK(launches.error().message.find("NVreg_RestrictProfilingToAdminUsers=0") !=
        std::string::npos);
  CHECK(test::count_lines(launches.error().message) == 0);
}

TEST_CASE("what goes wrong under ncu is reported: the worker's error, its death, ncu's error") {
  const Scratch scratch;
  const auto message = [&](const std::string& after, const std::string& answers) {
    const auto launches =
        run_ncu(pretend_ncu(scratch, after), pretend_worker(scratch, answers), profiling);
    return launches ? std::string("launches") : launches.error().message + launches.error().detail;
  };
  CHECK(message("", R"({"message": "error", "text": "does not fit"})").find("does not fit") !=
        std::string::npos);
  CHECK(message(table, "").find("ended the process") != std::string::npos);
  CHECK(message("echo '==ERROR== Failed to find metric' >&2", done).find("Failed to find metric") !=
        std::string::npos);
}
