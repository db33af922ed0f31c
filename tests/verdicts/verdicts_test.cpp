// What a person sees for right, wrong and hostile files, through the program itself, on the
// emulator. Each planted fault proves a check.

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include "check.h"
#include "scratch.h"
#include "support/process.h"

namespace fs = std::filesystem;
using kata::test::contains;
using kata::test::Json;
using kata::test::Outcome;

namespace {

const fs::path folder = fs::path(KATA_SOURCE_DIR) / "tests" / "verdicts";
const fs::path accepted = fs::path(KATA_SOURCE_DIR) / "tests" / "accepted";  ///< accepted_test.cpp

Outcome check(const fs::path& file, const std::vector<std::string>& options = {}) {
  Outcome outcome = kata::test::check(folder / file, options);
  INFO(outcome.errors);
  REQUIRE_FALSE(outcome.report.is_discarded());
  return outcome;
}

/// Without the ladder, whose rungs would be compiled and counted to compare with.
Outcome judge(const fs::path& file, std::vector<std::string> options) {
  options.push_back("--no-ladder");
  return check(file, options);
}

std::string explanations(const Json& report) {
  std::string all;
  for (const Json& one : report["cases"]) all += one.value("explanation", "") + "\n";
  return all;
}

const Json* finding(const Json& report, const std::string& kind) {
  for (const Json& one : report["findings"]) {
    if (one["kind"] == kind) return &one;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("a wrong variant fails, and the explanation names the planted fault") {
  struct Wrong {
    const char* file;
    const char* operator_name;
    const char* explanation;  ///< words that must be in it
  };
  const std::vector<Wrong> table{
      {"add.cu", "add", "never written"},
      {"relu.cu", "relu", "never written"},
      {"sigmoid.cu", "sigmoid", "overflow"},
      {"reduce_sum.cu", "reduce_sum", "last element"},
      {"reduce_max.cu", "reduce_max", "negative"},
      {"softmax.cu", "softmax", "overflow"},
      {"softmax_rows.cu", "softmax_rows", "only the last row"},
      {"transpose.cu", "transpose", "transposed"},
      {"sgemv.cu", "sgemv", "2 times what it should be"},
      {"sgemm.cu", "sgemm", "only the last column"},
  };
  for (const Wrong& wrong : table) {
    CAPTURE(wrong.file);
    const Outcome outcome = check(fs::path("wrong") / wrong.file);
    const Json& report = outcome.report;
    CHECK(outcome.exit_status == 1);
    CHECK(report["verdict"] == "fail");
    CHECK(report["operator"] == wrong.operator_name);
    CAPTURE(explanations(report));
    CHECK(contains(explanations(report), wrong.explanation));
  }
}

TEST_CASE("a result that depends on the schedule is called different in each run") {
  const auto [status, report, errors] = check("wrong/reduce_sum_race.cu");
  CHECK(status == 1);
  CHECK(finding(report, "nondeterministic") != nullptr);
  CHECK(contains(explanations(report), "different"));
}

TEST_CASE("NaN is laid to what nothing has set, also where there is a race as well") {
  const auto [status, report, errors] = judge("wrong/reduce_sum_unset.cu", {"--seed", "1"});
  CHECK(status == 1);
  CHECK(finding(report, "race") != nullptr);
  CHECK(contains(explanations(report), "NaN in sum: uninitialized at reduce_sum_unset.cu:11"));
}

TEST_CASE("first rungs get advice that the next rung follows, last rungs get none") {
  struct Rung {
    const char* file;
    const char* size;                ///< of the largest case: the others have no part in the advice
    std::vector<std::string> kinds;  ///< of the advice, the most expensive first
  };
  const std::vector<Rung> table{
      {"transpose/1_naive.cu", "301x437", {"uncoalesced"}},
      {"transpose/3_shared_tile.cu", "301x437", {"bank_conflict"}},
      {"transpose/6_four_by_four.cu", "301x437", {}},
      {"reduce_sum/1_atomic.cu", "131077", {"contention"}},
      {"reduce_sum/2_interleaved.cu", "131077", {"divergence"}},
      {"reduce_sum/3_strided.cu", "131077", {"bank_conflict"}},
      {"reduce_sum/10_last_block.cu", "131077", {}},
      {"reduce_max/1_atomic.cu", "131077", {"contention"}},
      {"reduce_max/8_last_block.cu", "131077", {}},
      {"sgemv/1_thread_per_row.cu", "256x256", {"uncoalesced"}},
      {"sgemv/6_split_rows.cu", "256x256", {}},
      {"sgemm/1_naive.cu", "128x128x128", {"reread"}},
      {"sgemm/10_more_per_thread.cu", "128x128x128", {}},
      {"softmax/1_one_block.cu", "100003", {"reread"}},
      {"softmax/9_last_first.cu", "100003", {}},
      {"softmax_rows/2_warp_per_row.cu", "3x32771", {"reread"}},
      {"softmax_rows/8_rows_per_warp.cu", "3x32771", {}},
      {"add/3_float4.cu", "131077", {}},
      {"relu/3_float4.cu", "131077", {}},
      {"sigmoid/4_fast_math.cu", "131077", {}},
  };
  const fs::path solutions = fs::path(KATA_SOURCE_DIR) / "solutions";
  for (const Rung& rung : table) {
    CAPTURE(rung.file);
    const auto [status, report, errors] = judge(solutions / rung.file, {"--size", rung.size});
    CHECK(status == 0);
    std::vector<std::string> kinds;
    for (const Json& one : report["findings"]) {
      CHECK(one["severity"] == "advice");
      CHECK(one["line"] > 0);
      kinds.push_back(one["kind"]);
    }
    CHECK(kinds == rung.kinds);
    CHECK(report["kernels"][0]["lines"].size() > 0);
  }
}

// The cases have no row as long: the last rungs would take seconds for it.
TEST_CASE("attention with more scores in a row than fit in shared memory passes") {
  const fs::path rung = fs::path(KATA_SOURCE_DIR) / "solutions/attention/2_block_per_query.cu";
  CHECK(judge(rung, {"--size", "2x14001x2"}).exit_status == 0);
}

TEST_CASE("right but unusual files pass, from anywhere") {
  struct Right {
    const char* file;
    std::vector<std::string> options;
  };
  const std::vector<Right> table{
      {"sgemv/own_header.cu", {}},
      {"transpose/copies_alone.cu", {}},  // nothing is launched, so nothing is counted
      {"add/struct_and_pointer.cu", {"--entry", "add"}},
      {"relu/other_name.cu", {"--entry", "solve"}},
  };
  for (const Right& right : table) {
    CAPTURE(right.file);
    const Outcome outcome = judge(accepted / right.file, right.options);
    const Json& report = outcome.report;
    CAPTURE(report.dump());
    CHECK(outcome.exit_status == 0);
    CHECK(report["verdict"] == "pass");
    CHECK(report["cases"].size() >= 6);
    for (const Json& one : report["findings"]) CHECK(one["severity"] != "error");
  }
}

TEST_CASE("a compile error is shown as the compiler wrote it, with the person's file and line") {
  const auto [status, report, errors] = check("hostile/compile_error.cu");
  CHECK(status == 2);
  CHECK(report["verdict"] == "error");
  CHECK(contains(report.dump(), "compile_error.cu:5:"));
  CHECK(contains(report.dump(), "undeclared_name"));
}

TEST_CASE("a candidate that dies, hangs or leaves is a failed candidate, with the reason") {
  struct Hostile {
    const char* file;
    const char* kind;
    int line;  ///< 0: none is expected
  };
  const std::vector<Hostile> table{
      {"crash.cu", "crash", 6},
      {"exit_zero.cu", "crash", 0},
      {"exits_at_an_error.cu", "invalid_launch", 12},
      {"endless_kernel.cu", "timeout", 5},
      {"spins_without_access.cu", "timeout", 5},
      {"endless_recursion.cu", "out_of_bounds", 4},
      {"missing_return.cu", "uninitialized", 3},
      {"illegal_address.cu", "out_of_bounds", 5},
      {"too_many_threads.cu", "invalid_launch", 9},
      {"writes_input.cu", "input_modified", 7},
      {"atomic_on_input.cu", "input_modified", 7},
      {"memset_of_input.cu", "input_modified", 12},
      {"over_read.cu", "out_of_bounds", 7},
      {"early_return.cu", "barrier_divergence", 9},
      {"abort.cu", "crash", 5},
      {"first_of_all.cu", "crash", 0},
      {"forged_answers.cu", "crash", 0},
      {"becomes_another.cu", "crash", 0},
      {"closes_everything.cu", "crash", 0},
      {"ignores_signals.cu", "timeout", 0},
      {"host_memory.cu", "crash", 0},
      {"device_memory.cu", "out_of_bounds", 5},
      {"outlives_its_call.cu", "out_of_bounds", 14},
      {"finds_the_reference.cu", "output_incomplete", 0},
      {"forks.cu", "output_incomplete", 0},
      {"fork_bomb.cu", "timeout", 0},
      {"writes_files.cu", "output_incomplete", 0},
      {"host_only.cu", "host_computation", 10},
      {"idle_kernel.cu", "host_computation", 13},
      {"managed_memory.cu", "host_computation", 9},
  };
  // Some take all the time that they are given: several at once.
  std::vector<std::future<Outcome>> checks(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (i >= 4) checks[i - 4].wait();
    checks[i] = std::async(std::launch::async,
                           [&, i] { return check(fs::path("hostile") / table[i].file); });
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Hostile& hostile = table[i];
    CAPTURE(hostile.file);
    const Outcome outcome = checks[i].get();
    const Json& report = outcome.report;
    CAPTURE(report.dump());
    CHECK(outcome.exit_status == 1);
    CHECK(report["verdict"] == "fail");
    const Json* found = finding(report, hostile.kind);
    REQUIRE(found != nullptr);
    CHECK((*found)["severity"] == "error");
    if (hostile.line) CHECK((*found)["line"] == hostile.line);
  }
}

// tests/worker ends such code after less time.
TEST_CASE("host code that never returns ends after 10 s of processor time" *
          doctest::test_suite("slow")) {
  const auto [status, report, errors] = check("hostile/endless_host.cu");
  CHECK(status == 1);
  CHECK(finding(report, "timeout") != nullptr);
}

TEST_CASE("a candidate starts no process and writes into no folder but its own") {
  CHECK(contains(check("hostile/forks.cu").report["output"], "0 processes started"));
  const long landlock =  // older kernels and some containers have none
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (landlock < 1) {
    MESSAGE("writing was not tried: this system has no Landlock");
    return;
  }
  const Json output = check("hostile/writes_files.cu").report["output"];
  CHECK(contains(output, "0 files opened, 1 of its own"));
}

TEST_CASE("an answer that was kept for its size is not taken for a right one") {
  const auto [status, report, errors] = check("hostile/replays_by_size.cu");
  CHECK(status == 1);
  CHECK(contains(explanations(report), "the first call's result"));
}

TEST_CASE("an over-read that does no harm to the values is the only thing that is reported") {
  const auto [status, report, errors] = check("hostile/over_read.cu");
  CHECK(status == 1);
  CHECK(report["findings"].size() == 1);
  for (const Json& one : report["cases"]) CHECK(one["bad"] == 0);
}

TEST_CASE(
    "a change of an input is reported once, at its line, with the name of the kernel or call") {
  for (const auto* file :
       {"hostile/writes_input.cu", "hostile/atomic_on_input.cu", "hostile/memset_of_input.cu"}) {
    CAPTURE(file);
    const auto [status, report, errors] = check(file);
    CHECK(report["findings"].size() == 1);
  }
  const Outcome outcome = check("hostile/memset_of_input.cu");
  const std::string message = outcome.report["findings"][0]["message"];
  CHECK(contains(message, "cudaMemset writes to x, an input"));
}

TEST_CASE("a result whose last step the CPU computes passes with a warning and without a time") {
  const auto [status, report, errors] = check("hostile/last_sum_on_the_host.cu");
  CHECK(status == 0);
  const Json* found = finding(report, "host_computation");
  REQUIRE(found != nullptr);
  CHECK((*found)["severity"] == "warning");
  CHECK((*found)["line"] == 17);
  CHECK_FALSE(report.contains("level"));
  for (const auto* key : {"timing", "estimates", "counts"}) {
    CAPTURE(key);
    CHECK((!report.contains(key) || report[key].empty()));
  }
}

TEST_CASE("what a candidate prints is never taken for a report") {
  const auto [status, report, errors] = judge("hostile/garbage_output.cu", {});
  CHECK(status == 0);
  CHECK(report["verdict"] == "pass");
}

TEST_CASE("a file with no entry, two entries, or C++ linkage gets one line that says what to do") {
  struct Unclear {
    const char* file;
    const char* words;
  };
  const std::vector<Unclear> table{{"no_entry.cu", "--entry"},
                                   {"two_entries.cu", "sigmoid"},
                                   {"not_extern_c.cu", "extern \"C\""}};
  for (const Unclear& unclear : table) {
    CAPTURE(unclear.file);
    const auto [status, report, errors] = check(fs::path("hostile") / unclear.file);
    CHECK(status == 2);
    CHECK(report["verdict"] == "error");
    const std::string error = report["error"];
    CAPTURE(error);
    CHECK(contains(error, unclear.words));
    CHECK_FALSE(contains(error, "\n"));
  }
}

TEST_CASE("what the emulator does not have is named at its line, and is no failure") {
  const auto [status, report, errors] = check("hostile/inline_ptx.cu");
  CHECK(status == 2);
  CHECK(report["verdict"] == "error");
  const Json* found = finding(report, "unsupported");
  REQUIRE(found != nullptr);
  CHECK((*found)["line"] == 5);
  CHECK(contains(report["error"].get<std::string>(), ":5:"));
}

TEST_CASE("a candidate that lets a library do the work is refused at the line of its call") {
  for (const auto& [name, line] : {std::pair{"hostile/thrust.cu", 13}, {"hostile/cublas.cu", 9}}) {
    const std::string file = name;
    CAPTURE(file);
    const auto [status, report, errors] = check(file);
    CHECK(status == 2);
    CHECK(report["verdict"] == "error");
    const std::string error = report["error"];
    CHECK(contains(error, fmt::format(":{}:", line)));
    CHECK_FALSE(contains(error, "\n"));
  }
  CHECK(check("hostile/own_namespace_cub.cu").exit_status == 0);
}

TEST_CASE("one bad candidate does not harm the next") {
  for (const char* file : {"illegal_address", "closes_everything", "outlives_its_call"}) {
    check(fs::path("hostile") / (std::string(file) + ".cu"));
  }
  CHECK(judge(accepted / "reduce_sum/double_accumulation.cu", {}).exit_status == 0);
}

TEST_CASE("lines of a kernel that no case runs are named after a pass") {
  if (kata::find_program("g++").empty()) return;  // clang++'s modules do not say
  const kata::test::Scratch scratch;
  const fs::path file = scratch.write("relu.cu", R"(#include <kata/kata.h>
__device__ float positive(float x) { return fmaxf(x, 0.0f); }
__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (x[i] == 123.4567f) {
    y[i] = expf(x[i]);
    return;
  }
  y[i] = positive(x[i]);
}

__global__ void never_launched(float* y) {
  y[threadIdx.x] = 0.0f;
}

extern "C" void relu(const float* x, float* y, int n) {
  if (n < 0) never_launched<<<1, 32>>>(y);
  relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
)");
  const Json report = judge(file, {}).report;
  CHECK(report["verdict"] == "pass");
  CHECK(report["coverage"]["unreached"] == Json{7, 13});
  CHECK(report["coverage"]["share"] < 1);
  CHECK(report["coverage"]["share"] > 0.4);
}
