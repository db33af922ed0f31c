// Kernels side by side: who gets a time, and what is said of the others.

#include <doctest/doctest.h>

#include <map>

#include "gpu_worker/fake_cuda.h"
#include "scratch.h"
#include "worker/gpu/host_threads.h"
#include "worker/gpu/time_kernels.h"

using namespace kata;
using kata::test::contains;

namespace {

struct TimingOutcome {
  std::optional<Error> error;
  std::vector<TimingRow> rows;
  std::map<std::string, int> turns;

  const TimingRow& row(const std::string& name) const {
    for (const TimingRow& one : rows) {
      if (one.name == name) return one;
    }
    FAIL("no row named " << name);
    return rows.front();
  }
};

/// Each kernel is named after its entry function in module/kernels.cpp; "yours" is `right`, or
/// another.
TimingOutcome times_of(const std::vector<std::string>& names,
                       const std::vector<Shape>& shapes = {{5000}},
                       const std::string& ceilings = KERNELS_MODULE, double time_limit_s = 10,
                       const std::string& of_yours = "right",
                       const std::string& operator_name = "relu") {
  Job job{.kind = Job::Kind::time,
          .time_limit_s = time_limit_s,
          .shapes = shapes,
          .ceilings_module = ceilings};
  for (const std::string& name : names) {
    const bool yours = name == "yours";
    job.kernels.push_back(
        {yours ? RowKind::yours : RowKind::rung, name, KERNELS_MODULE, yours ? of_yours : name});
  }
  TimingOutcome outcome;
  const TimeEvents observer = {.turn = [&](const std::string& what) { ++outcome.turns[what]; },
                               .ended = [&] { outcome.turns[""]++; },
                               .row = [&](const TimingRow& row) { outcome.rows.push_back(row); }};
  outcome.error = time_kernels(job, *find_problem(operator_name), observer);
  fake_cuda::revive();
  return outcome;
}

}  // namespace

TEST_CASE("the table has yours, the rungs and the limit, in that order, for every size") {
  const TimingOutcome outcome = times_of({"yours", "slower"}, {{5000}, {1}});
  CHECK_FALSE(outcome.error);
  REQUIRE(outcome.rows.size() == 6);
  CHECK(outcome.rows[0].kind == RowKind::yours);
  CHECK(outcome.rows[1].name == "slower");
  CHECK(outcome.rows[2].kind == RowKind::limit);
  CHECK(outcome.rows[2].name == "limit (copy)");
  CHECK(outcome.rows[2].size == "5000");
  CHECK(outcome.rows[5].size == "1");
}

TEST_CASE("a kernel too slow for a larger size has no time there, and the others have theirs") {
  const double limit_s = 0.02;  // `slower` takes 0.5 ms at 5000 elements
  const TimingOutcome outcome =
      times_of({"slower", "right"}, {{5000}, {500'000}}, KERNELS_MODULE, limit_s);
  CHECK_FALSE(outcome.error);
  REQUIRE(outcome.rows.size() == 6);
  CHECK(outcome.rows[0].error.empty());
  CHECK(contains(outcome.rows[3].error, "one call here would take about"));
  CHECK(outcome.rows[4].name == "right");
  CHECK(outcome.rows[4].error.empty());
  CHECK(outcome.turns.at("") == 2);  // the inputs of a size are drawn in no kernel's time
}

TEST_CASE("a kernel that takes longer has the longer time and fewer samples") {
  const TimingOutcome outcome = times_of({"yours", "slower"});
  CHECK(outcome.row("yours").median_us >= 50);
  CHECK(outcome.row("slower").median_us >= 500);
  CHECK(outcome.row("slower").vs_yours > 2);
  CHECK(outcome.row("slower").samples >= 10);
  CHECK(outcome.row("yours").samples > outcome.row("slower").samples);
}

TEST_CASE("the cache is flushed before every sample, by reading twice its size") {
  fake_cuda::reset_traffic();
  const TimingOutcome outcome = times_of({"yours"});
  CHECK(fake_cuda::flushing_reads() > outcome.row("yours").samples);
}

TEST_CASE("the flush comes last: no kernel finds its inputs or its outputs in the cache") {
  fake_cuda::reset_traffic();
  const TimingOutcome outcome = times_of({"yours", "right"});
  REQUIRE(outcome.row("yours").samples > 10);
  CHECK(fake_cuda::writes() > outcome.row("yours").samples);  // new inputs for each call
  // The calls of `right` that are compared are not timed, and need no flush.
  CHECK(fake_cuda::calls_beside_writes() < 20);
}

TEST_CASE("a kernel that does not do the work gets no time") {
  for (const std::string name : {"writes_nothing", "wrong"}) {
    CAPTURE(name);
    const TimingOutcome outcome = times_of({"yours", "right"}, {{5000}}, KERNELS_MODULE, 10, name);
    CHECK(contains(outcome.row("yours").error, "its output is not that of right"));
    CHECK(outcome.row("yours").median_us == 0);
    CHECK(outcome.row("right").error.empty());
  }
}

TEST_CASE("a kernel whose timed calls leave work out gets no time, and the row says so") {
  for (const std::string name : {"half_done", "every_other_call", "rounded", "replays"}) {
    CAPTURE(name);
    const TimingOutcome outcome = times_of({"yours", "right"}, {{5000}}, KERNELS_MODULE, 10, name);
    CHECK(contains(outcome.row("yours").error, "in timed calls its output is not that of right"));
    CHECK(outcome.row("yours").invalid);
    CHECK_FALSE(outcome.row("right").invalid);
  }
}

TEST_CASE("a kernel that keeps results by the contents of its inputs has the time of its work") {
  const TimingOutcome outcome =
      times_of({"yours", "right"}, {{5000}}, KERNELS_MODULE, 10, "remembers_content");
  CHECK(outcome.row("yours").error.empty());
  CHECK(outcome.row("yours").median_us >= 50);
}

TEST_CASE("what a kernel sets aside in the L2 is given back before the next call") {
  fake_cuda::reset_traffic();
  const TimingOutcome outcome =
      times_of({"yours", "right"}, {{5000}}, KERNELS_MODULE, 10, "sets_l2_aside");
  CHECK(outcome.row("yours").error.empty());
  CHECK(fake_cuda::let_go() > outcome.row("yours").samples);
  times_of({"right"});
  CHECK(fake_cuda::set_aside() == 0);
}

TEST_CASE("work that the events do not see, and threads that run on, are no part of a time") {
  for (const std::string name : {"works_later", "works_outside"}) {
    CAPTURE(name);
    const TimingOutcome outside = times_of({"yours", "right"}, {{5000}}, KERNELS_MODULE, 10, name);
    CHECK(contains(outside.row("yours").error, "work goes on for"));
    CHECK(outside.row("yours").invalid);
  }
  const TimingOutcome threads =
      times_of({"yours", "right"}, {{5000}}, KERNELS_MODULE, 10, "leaves_a_thread");
  CHECK(contains(threads.row("yours").error, "threads of the host that it started still run"));
  while (running_threads() > 0) note_thread_ended();
}

TEST_CASE("a time below what the GPU's memory allows is an error that says so") {
  fake_cuda::set_peak(1e8);  // 20 kB in 200 us; the kernel takes 50
  const TimingOutcome outcome = times_of({"yours", "slower"});
  fake_cuda::set_peak(0);
  CHECK(contains(outcome.row("yours").error, "less than this GPU needs"));
  CHECK(contains(outcome.row("yours").error, "It must move 0.02 MB"));
  CHECK(outcome.row("yours").invalid);
  CHECK(outcome.row("slower").error.empty());
}

TEST_CASE("a refused launch leaves only its own kernel without a time") {
  const TimingOutcome outcome = times_of({"yours", "refused", "right"});
  CHECK(contains(outcome.row("refused").error, "launch configuration"));
  CHECK(outcome.row("refused").failed);
  CHECK_FALSE(outcome.row("yours").failed);
  CHECK(outcome.row("yours").median_us > 0);
  CHECK(outcome.row("right").median_us > 0);
}

TEST_CASE("a kernel that takes the GPU down is named, and the others say why they have no time") {
  const TimingOutcome outcome = times_of({"yours", "deadly", "right"}, {{5000}, {6000}});
  CHECK_FALSE(outcome.error);
  CHECK(contains(outcome.row("deadly").error, "not mapped"));
  CHECK(contains(outcome.row("yours").error, "deadly left the GPU unusable"));
  CHECK(contains(outcome.row("right").error, "deadly left the GPU unusable"));
  for (const TimingRow& row : outcome.rows) CHECK(row.size == "5000");
}

TEST_CASE("a module without its entry function is a row that says so") {
  const TimingOutcome outcome = times_of({"yours", "absent"});
  CHECK_FALSE(outcome.row("absent").error.empty());
  CHECK(outcome.row("yours").median_us > 0);
}

TEST_CASE("a size that does not fit into memory is said, and the next one is timed") {
  const TimingOutcome outcome = times_of({"yours"}, {{1 << 28}, {5000}});
  REQUIRE(outcome.rows.size() == 4);
  CHECK(contains(outcome.rows[0].error, "does not fit"));
  CHECK(outcome.rows[2].median_us > 0);
}

TEST_CASE("without the kernels that measure the limits there is one error and no table") {
  const TimingOutcome outcome = times_of({"yours"}, {{5000}}, "/no/such/module.so");
  CHECK(outcome.error);
  CHECK(outcome.rows.empty());
}

TEST_CASE("everything that was allocated is given back") {
  const std::size_t before = fake_cuda::allocated();
  times_of({"yours"});
  CHECK(fake_cuda::allocated() == before);
}

TEST_CASE(
    "every kernel's turn is announced, so that the report can name the kernel that killed a "
    "worker") {
  const TimingOutcome outcome = times_of({"yours", "slower"});
  CHECK(outcome.turns.contains("yours"));
  CHECK(outcome.turns.contains("slower"));
}

TEST_CASE("an operator on several GPUs has the time of one call, beside what the links allow") {
  fake_cuda::set_devices(2);
  const TimingOutcome outcome =
      times_of({"yours", "sums"}, {{5000, 2}, {5000, 4}}, KERNELS_MODULE, 10, "sums", "all_reduce");
  fake_cuda::set_devices(1);
  CHECK_FALSE(outcome.error);
  REQUIRE(outcome.rows.size() == 5);
  CHECK(outcome.rows[0].error == "");
  CHECK(outcome.rows[0].median_us >= 50);
  CHECK(outcome.rows[0].median_us < 450);  // ten calls in a row take ten times as long
  CHECK(outcome.rows[2].name == "limit (links)");
  CHECK(outcome.rows[3].error == "not timed: needs 4 GPUs, and 2 are here");
}

TEST_CASE("an operator on several GPUs that leaves one out gets no time") {
  fake_cuda::set_devices(2);
  const TimingOutcome outcome = times_of({"yours", "sums"}, {{5000, 2}}, KERNELS_MODULE, 10,
                                         "leaves_a_device_out", "all_reduce");
  fake_cuda::set_devices(1);
  CHECK(contains(outcome.row("yours").error, "its output is not that of sums"));
  CHECK(outcome.row("sums").error == "");
}
