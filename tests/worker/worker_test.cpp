// What becomes of a candidate that misbehaves, seen from the program that started the worker.

#include <doctest/doctest.h>

#include <sched.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "grading/spawn.h"
#include "grading/timing.h"
#include "judge/large_cases.h"
#include "scratch.h"
#include "support/process.h"
#include "worker/answers.h"
#include "worker/job.h"

using namespace kata;
using kata::test::contains;

namespace {

WorkerRun work(const Job& job, double time_limit_s = 60) {
  WorkerRun result;
  Result<Finished> finished =
      run({.arguments = {HOST_WORKER},
           .input = to_json_text(job),
           .time_limit_s = time_limit_s,
           .on_answer = [&](const std::string& line) { result.answers.read(line); }});
  REQUIRE(finished);
  result.process = *finished;
  return result;
}

Job relu_job(const std::string& function) {
  return {.operator_name = "relu",
          .module = MISBEHAVING,
          .entry = function,
          .seed = 1,
          .time_limit_s = 0.3,
          .shapes = {{1}, {300}}};
}

/// This thread, and what it starts, has a quarter of one processor.
struct BusyProcessor {
  cpu_set_t all{};
  std::atomic<bool> over = false;
  std::vector<std::thread> others;

  BusyProcessor() {
    sched_getaffinity(0, sizeof all, &all);
    cpu_set_t one{};
    int first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    CPU_SET(first, &one);
    sched_setaffinity(0, sizeof one, &one);
    for (int i = 0; i < 3; ++i) {
      others.emplace_back([this] {
        while (!over) {
        }
      });
    }
  }
  ~BusyProcessor() {
    over = true;
    for (std::thread& other : others) other.join();
    sched_setaffinity(0, sizeof all, &all);
  }
};

}  // namespace

TEST_CASE("a job comes out of JSON as it went in") {
  const Job job{.kind = Job::Kind::time,
                .operator_name = "sgemm",
                .module = "/tmp/a \"b\".so",
                .entry = "solve",
                .seed = ~std::uint64_t{0},
                .time_limit_s = 2.5,
                .shapes = {{1, 2, 3}, {4, 5, 6}},
                .kernels = {{RowKind::yours, "yours", "/tmp/y.so", "sgemm"}},
                .ceilings_module = "/tmp/c.so"};
  const Result<Job> back = job_from_json_text(to_json_text(job));
  REQUIRE(back);
  CHECK(to_json_text(*back) == to_json_text(job));
  CHECK(back->kind == Job::Kind::time);
  CHECK(back->shapes == job.shapes);
  CHECK(back->kernels[0].kind == RowKind::yours);
  CHECK(back->kernels[0].module == job.kernels[0].module);
  const Result<Job> short_one = job_from_json_text("{\"kind\": \"judge\", \"operator\": \"add\"}");
  REQUIRE(short_one);
  CHECK(short_one->values == Values::normal);
  CHECK_FALSE(job_from_json_text("not a job"));
  CHECK_FALSE(job_from_json_text("{\"kind\": 7}"));
}

TEST_CASE("a right candidate's answers are complete") {
  const WorkerRun run = work(relu_job("right"));
  CHECK(run.answers.done);
  CHECK(run.answers.device == "host");
  REQUIRE(run.answers.cases.size() == 2);
  CHECK(run.answers.cases[1].name == "300 normal");
  CHECK(run.answers.cases[1].verdict == Verdict::pass);
  CHECK(run.answers.counted_case == "300 normal");
  CHECK(run.process.exit_status == 0);
}

TEST_CASE("without shapes the problem's own cases run") {
  Job job = relu_job("right");
  job.shapes.clear();
  CHECK(work(job).answers.cases.size() >= 6);
}

TEST_CASE("what a candidate prints, or writes to the answers' old descriptor, is no answer") {
  const WorkerRun printed = work(relu_job("prints"));
  CHECK(printed.answers.cases.size() == 2);
  CHECK(contains(printed.process.output, "\"done\""));
  CHECK(contains(printed.process.output, "end{"));  // of the first case
  CHECK(printed.process.output.ends_with("a line without an end"));
  const WorkerRun forged = work(relu_job("forges"));
  for (const CaseResult& one : forged.answers.cases) {
    CHECK(one.name != "forged");
    CHECK(one.verdict == Verdict::fail);
  }
}

TEST_CASE("a candidate has no standard input to wait for") {
  CHECK(contains(work(relu_job("reads_input")).process.output, "input: -1"));
}

TEST_CASE("a crash says where, and keeps what was printed before") {
  for (const char* function : {"crashes", "crashes_in_a_thread"}) {
    CAPTURE(function);
    const WorkerRun run = work(relu_job(function));
    CHECK_FALSE(run.answers.done);
    const Finding cause = cause_of_death(run, 1);
    CHECK(cause.kind == FindingKind::crash);
    CHECK(contains(cause.message, "segmentation fault"));
    CHECK(contains(cause.message, "case 1 normal"));
    CHECK(cause.file == "crashes");
    CHECK(cause.line == 1);
    CHECK(contains(run.process.output, "before the crash"));
  }
}

TEST_CASE("a stack that overflows is a crash with its place, too") {
  const Finding cause = cause_of_death(work(relu_job("overflows_the_stack")), 1);
  CHECK(cause.kind == FindingKind::crash);
  CHECK(contains(cause.file, "recurse"));
}

TEST_CASE("abort, exit and a signal from itself are the candidate's failures") {
  CHECK(contains(cause_of_death(work(relu_job("aborts")), 1).message, "abort()"));
  for (const char* function : {"leaves", "leaves_at_once"}) {
    const Finding cause = cause_of_death(work(relu_job(function)), 1);
    CHECK(cause.kind == FindingKind::crash);
    CHECK(contains(cause.message, "exit status 0"));
    CHECK(contains(cause.message, "must return"));
  }
  CHECK(contains(cause_of_death(work(relu_job("kills_itself")), 1).message, "killed"));
}

TEST_CASE("a case that never ends is ended, with the place where it hangs") {
  for (const char* function : {"hangs", "hangs_in_a_thread", "waits"}) {
    CAPTURE(function);
    const Finding cause = cause_of_death(work(relu_job(function)), 0.3);
    CHECK(cause.kind == FindingKind::timeout);
    CHECK(contains(cause.message, "0.3 s during case 1 normal"));
    CHECK(cause.file == (function == std::string("waits") ? "waits" : "hangs"));
  }
}

TEST_CASE("a call near a constant that takes too long ends the cases, and is no fault") {
  Job job = relu_job("hangs_in_the_second_case");
  job.kind = Job::Kind::judge_large;
  job.checked = false;
  job.near_constants = {{{1}, {300}, {301}}};
  job.first_case = large_cases(*find_problem("relu"), job.seed).results();
  const WorkerRun run = work(job);
  CHECK(run.answers.done);
  CHECK_FALSE(run.answers.death);
  CHECK_FALSE(run.answers.current);
  CHECK(run.answers.cases.empty());
}

TEST_CASE("each case has the whole time limit, and the cases before a hang are kept") {
  const WorkerRun run = work(relu_job("hangs_in_the_second_case"));
  REQUIRE(run.answers.cases.size() == 1);
  CHECK(run.answers.cases[0].verdict == Verdict::pass);
  CHECK_FALSE(run.process.timed_out);
  CHECK(contains(cause_of_death(run, 0.3).message, "during case 300 normal"));
  REQUIRE(run.answers.current);
  CHECK(run.answers.current->stage == Stage::judging);
  CHECK(run.answers.current->tested == Case{{300}, Values::normal});
}

TEST_CASE("a candidate that sleeps in a loop is ended at its limit, too") {
  const Finding cause = cause_of_death(work(relu_job("sleeps_again_and_again")), 0.3);
  CHECK(cause.kind == FindingKind::timeout);
  CHECK(contains(cause.message, "did not return within 0.3 s during case 1 normal"));
}

TEST_CASE("a busy machine fails no candidate: while others have the processor no time is counted") {
  const BusyProcessor busy;
  const WorkerRun run = work(relu_job("computes_for_a_while"));
  REQUIRE(run.answers.cases.size() == 2);
  for (const CaseResult& one : run.answers.cases) CHECK(one.verdict == Verdict::pass);
}

TEST_CASE("the judge's own work takes none of the candidate's time") {
  Job job = relu_job("right");
  job.operator_name = "slow_relu";
  job.time_limit_s = 0.1;
  const WorkerRun run = work(job);
  CHECK(run.answers.done);
  REQUIRE(run.answers.cases.size() == 2);
  for (const CaseResult& one : run.answers.cases) CHECK(one.verdict == Verdict::pass);
}

TEST_CASE("a worker may be silent for as long as the judge needs, but not in a call") {
  Answers answers;
  CHECK(longest_silence_s(answers, 10, 60) == 15);  // it loads the module
  answers.read(R"({"message":"started","stage":"judging","what":"5 normal"})");
  CHECK(longest_silence_s(answers, 10, 60) == 60);
  answers.read(R"({"message":"calls"})");
  CHECK(longest_silence_s(answers, 10, 60) == 15);
  answers.read(R"({"message":"returned"})");
  CHECK(longest_silence_s(answers, 10, 60) == 60);
  answers.read(R"({"message":"started","stage":"timing","what":"yours"})");
  CHECK(longest_silence_s(answers, 10, 0) == 15);
}

TEST_CASE("a sampled call that takes too long is a fault only if its kernels get on no more") {
  const auto ended = [](int gets_on) {
    Answers answers;
    answers.read(R"({"message":"started","stage":"judging","what":"5 normal"})");
    answers.read(R"({"message":"samples"})");
    answers.read(R"({"message":"died","signal":14,"full":0,"gets_on":)" + std::to_string(gets_on) +
                 "}");
    return answers;
  };
  CHECK(ended(1).done);
  CHECK(ended(1).cases_too_long == 1);
  CHECK_FALSE(ended(1).death);
  CHECK(ended(0).death);
  CHECK(ended(0).cases_too_long == 0);
}

TEST_CASE("drawing the inputs to time is no fault of the candidate timed before") {
  Job job{.kind = Job::Kind::time,
          .operator_name = "relu",
          .shapes = {{1}},
          .kernels = {{RowKind::yours, "yours", MISBEHAVING, "right"}}};
  WorkerRun in_its_turn = work(job);
  CHECK(died_in_yours(job, in_its_turn.answers));
  CHECK(contains(why_timing_ended(in_its_turn).message, "while the worker timed yours"));

  job.entry = "while_inputs_are_drawn";
  WorkerRun between = work(job);
  CHECK_FALSE(died_in_yours(job, between.answers));
  CHECK(why_timing_ended(between).message == "timing ended early, while kata drew inputs");

  in_its_turn.process.timed_out = between.process.timed_out = true;
  CHECK(contains(why_timing_ended(in_its_turn).message, "the candidate did not return"));
  CHECK(contains(why_timing_ended(between).message, "a fault of kata, not of a candidate"));
}

TEST_CASE("a judge that needs too long for a case is no fault of the candidate") {
  WorkerRun run;
  run.process.timed_out = true;
  run.answers.read(R"({"message":"started","stage":"judging","what":"5 normal"})");
  CHECK(contains(own_timeout(run).value().message, "case 5 normal: a fault of kata"));
  run.answers.read(R"({"message":"calls"})");
  CHECK_FALSE(own_timeout(run));
}

TEST_CASE("a candidate that blocks every signal is ended from outside") {
  const WorkerRun run = work(relu_job("hangs_behind_a_mask"), 1.0);
  CHECK(run.process.timed_out);
  CHECK(cause_of_death(run, 0.3).kind == FindingKind::timeout);
}

TEST_CASE("an exception is a finding of its case, and the judge goes on") {
  const WorkerRun run = work(relu_job("throws"));
  CHECK(run.answers.done);
  CHECK(run.answers.cases.size() == 2);
  REQUIRE_FALSE(run.answers.findings.empty());
  CHECK(run.answers.findings[0].kind == FindingKind::crash);
}

TEST_CASE("a module or a function that is not there is an error in words") {
  Job job = relu_job("no_such_function");
  CHECK(contains(work(job).answers.error.value().message, "no_such_function"));
  job.module = "/nonexistent.so";
  CHECK(work(job).answers.error);
  job.operator_name = "convolve";
  CHECK(contains(work(job).answers.error.value().message, "convolve"));
}

TEST_CASE("a reference that reads an input that is not there is an error that names the problem") {
  const WorkerRun run = work({.operator_name = "add_in_place",
                              .module = MISBEHAVING,
                              .entry = "right",
                              .seed = 1,
                              .time_limit_s = 1});
  CHECK(run.answers.done);
  CHECK(run.answers.error.value().message ==
        "problem add_in_place: it reads inputs[1], but its signature has 1 input; should an "
        "output be in_out?");
}

TEST_CASE("a worker that a person starts by hand says what it is") {
  const Result<Finished> finished =
      run({.arguments = {"/bin/sh", "-c", std::string(HOST_WORKER) + " 3>&-"}, .time_limit_s = 10});
  REQUIRE(finished);
  CHECK(finished->exit_status == 2);
  CHECK(contains(finished->errors, "started by kata"));
}
