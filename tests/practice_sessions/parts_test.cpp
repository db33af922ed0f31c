// What interviews are made of: the clock, the rubric, the draw, the texts.
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/terminal/prose.h"
#include "grading/worker_report.h"
#include "judge/judge.h"
#include "practice/exercise/exercise_text.h"
#include "practice/exercise/reset.h"
#include "practice/interview/general_topics.h"
#include "practice/interview/interview.h"
#include "practice/review.h"
#include "support/files.h"
#include "support/paths.h"
#include "terminal.h"

using namespace kata;
using namespace std::chrono_literals;
using kata::test::contains;
using kata::test::widest_line;

namespace {

/// The same moment on three clocks that were set going at different times.
Instant moment(Milliseconds at, const std::string& boot = "one") {
  return {.boot_id = boot, .running = at, .since_boot = 1h + at, .calendar = 1000h + at};
}

/// As if the program had ended in between.
SessionClock kept(const SessionClock& clock) {
  return nlohmann::json::parse(nlohmann::json(clock).dump()).get<SessionClock>();
}

Report passing(const Problem& problem) {
  Report report;
  report.backend = "emulator";
  report.verdict = Verdict::pass;
  for (const Case& one : problem.cases) {
    report.cases.push_back(
        {.name = name_of(problem, one), .tested = one, .verdict = Verdict::pass});
  }
  report.counted_shape = largest(problem, problem.cases).shape;
  report.kernels.push_back({.name = "kernel", .grid = {8, 1, 1}, .block = {256, 1, 1}});
  return report;
}

const std::vector<std::string> questions = {"sizes", "values"};

Rubric rubric_of(const Report& report, Submission rest) {
  const Problem& problem = *find_problem("relu");
  return judge_submission({.problem = problem,
                           .report = report,
                           .main_right = rest.main_right,
                           .of_best = rest.of_best,
                           .worked = rest.worked,
                           .limit = 20min,
                           .hints = rest.hints,
                           .matters = questions,
                           .asked = rest.asked});
}

int worth(const Rubric& rubric) {
  int sum = 0;
  for (const Criterion& one : rubric.criteria) sum += one.of;
  return sum;
}

const Problem& relu() {
  return *find_problem("relu");
}

}  // namespace

TEST_CASE("the clock counts what was worked, and what was not") {
  SessionClock clock = SessionClock::started(moment(0ms));
  clock.tick(moment(10min));
  CHECK(clock.worked() == 10min);

  clock = kept(clock);
  const auto away = clock.resume(moment(10min + 2h));
  CHECK(away.time == 2h);
  CHECK_FALSE(away.by_calendar);
  clock.tick(moment(2h + 13min));
  CHECK(clock.worked() == 13min);
  CHECK(clock.away() == 2h);
}

TEST_CASE("a clock that is set back or forth changes nothing") {
  SessionClock clock = SessionClock::started(moment(0ms));
  Instant later = moment(5min);
  later.calendar -= 100h;
  clock.tick(later);
  CHECK(clock.worked() == 5min);
  later.since_boot += 1min;
  later.running += 1min;
  later.calendar += 5000h;
  CHECK(clock.resume(later).time == 1min);
}

TEST_CASE("a machine that slept was away") {
  SessionClock clock = SessionClock::started(moment(0ms));
  Instant woken = moment(5min);
  woken.since_boot += 8h;
  clock.tick(woken);
  CHECK(clock.worked() == 5min);
  CHECK(clock.away() == 8h);
}

TEST_CASE("after a restart of the machine the calendar says how long it was, if it can") {
  SessionClock clock = SessionClock::started(moment(5h));
  clock.tick(moment(5h + 1min));
  Instant restarted{.boot_id = "two", .running = 3s, .since_boot = 3s, .calendar = 1007h};
  SessionClock other = kept(clock);
  const auto away = clock.resume(restarted);
  CHECK(away.time == 2h - 1min);
  CHECK(away.by_calendar);
  CHECK(clock.worked() == 1min);

  restarted.calendar = 0ms;  // an empty battery
  CHECK(other.resume(restarted).time == 0ms);
}

TEST_CASE("times are written as a person reads them") {
  CHECK(clock_text(0s) == "0:00");
  CHECK(clock_text(12min + 5s) == "12:05");
  CHECK(clock_text(1h + 2min + 3s) == "1:02:03");
  CHECK(clock_text(-30s) == "-0:30");
  CHECK(rough_text(45s) == "45 s");
  CHECK(rough_text(2h + 13min) == "2 h 13 min");
  CHECK(rough_text(72h) == "3 days");
}

TEST_CASE("the rubric is worth 100 points, and a perfect answer has them all") {
  const Report report = passing(relu());
  const Rubric perfect = rubric_of(report, {.problem = relu(),
                                            .report = report,
                                            .main_right = true,
                                            .of_best = 1,
                                            .worked = 5min,
                                            .asked = questions});
  CHECK(worth(perfect) == 100);
  CHECK(perfect.total == 100);
  for (const Criterion& one : perfect.criteria) CHECK_FALSE(one.why.empty());
}

TEST_CASE("each criterion takes its own points") {
  const Report right = passing(relu());
  const auto total = [&](const Report& report, Submission rest) {
    return rubric_of(report, rest).total;
  };
  const Submission good{.problem = relu(),
                        .report = right,
                        .main_right = true,
                        .of_best = 0.8,
                        .worked = 10min,
                        .asked = questions};
  CHECK(total(right, good) == 100);

  Submission slow = good;
  slow.of_best = 0.4;
  CHECK(total(right, slow) == 80);  // half of the efficiency

  Submission late = good;
  late.worked = 20min;
  CHECK(total(right, late) == 98);
  late.worked = 21min;
  CHECK(total(right, late) == 95);

  Submission curious = good;
  curious.asked = {"sizes", "target"};  // one that matters
  CHECK(total(right, curious) == 95);

  Submission helped = good;
  helped.hints = 2;
  CHECK(total(right, helped) == 90);

  Report one_block = right;
  one_block.kernels[0].grid = {1, 1, 1};
  CHECK(total(one_block, good) == 98);
  one_block.kernels[0].block = {100, 1, 1};
  CHECK(total(one_block, good) == 97);

  Report racing = right;
  racing.verdict = Verdict::fail;
  racing.findings.push_back({.kind = FindingKind::race, .message = "a race"});
  CHECK(total(racing, good) == 50);  // neither clean nor efficient

  Report warned = right;
  warned.findings.push_back({.kind = FindingKind::barrier_divergence,
                             .severity = Severity::warning,
                             .message = "not all lanes"});
  CHECK(total(warned, good) == 100);
  CHECK(rubric_of(warned, good).criteria[3].why ==
        "none found; a warning costs no points: barrier_divergence");

  Report one_edge = right;
  one_edge.verdict = Verdict::fail;
  one_edge.cases[0].verdict = Verdict::fail;
  CHECK(total(one_edge, good) == 100 - 40 - 15 +
                                     15 * static_cast<int>(right.cases.size() - 2) /
                                         static_cast<int>(right.cases.size() - 1));

  Report overflowing = right;
  overflowing.verdict = Verdict::fail;
  overflowing.cases.push_back(
      {.name = "2147483647 normal", .verdict = Verdict::fail, .large = true});
  const Criterion edges = rubric_of(overflowing, good).criteria[2];
  CHECK(edges.points < edges.of);
  CHECK(contains(edges.why, "but wrong at a large size: 2147483647 normal"));

  Report broken;
  broken.error = "does not compile";
  CHECK(total(broken, {.problem = relu(), .report = right}) == 0);
  CHECK(total(broken, {.problem = relu(), .report = right, .hints = 3}) == 0);
}

TEST_CASE("a main case that the judge did not come to was run alone, and no edge twice") {
  Report stopped;
  stopped.verdict = Verdict::fail;
  stopped.cases = {{.name = "1 normal", .tested = {{1}}, .verdict = Verdict::fail}};
  stopped.cases_not_run = 9;
  const Rubric rubric =
      rubric_of(stopped, {.problem = relu(), .report = stopped, .main_right = false});
  CHECK(contains(rubric.criteria[1].why, ", run alone, is wrong"));
  CHECK(contains(rubric.criteria[2].why, "0 of 9 other cases right, not 1 normal; 8 not run"));
}

TEST_CASE("a size that takes too long on the CPU says so, and how to have its time") {
  Report report;
  report.operator_name = "relu";
  report.cases_too_long = 1;
  explain_too_long({.path = "/tmp/x.cu", .size = Shape{268435456}}, report);
  CHECK(contains(report.error, "268435456 takes too long to judge on the CPU"));
  CHECK(contains(report.error, "bench /tmp/x.cu --size 268435456"));
}

TEST_CASE("the launch is judged at a typical size, if it is known, and names its size") {
  Report report = passing(relu());
  report.kernels[0].grid = {1, 1, 1};
  report.counted_shape = {3};
  Submission submission{.problem = relu(), .report = report, .limit = 20min};
  CHECK(contains(judge_submission(submission).criteria[5].why, "kernel at 3: 1 block of 256"));
  submission.typical = MainLaunch{"kernel", 64, 128, "8192x4096"};
  const Criterion spread = judge_submission(submission).criteria[5];
  CHECK(spread.why == "kernel at 8192x4096: 64 blocks of 128 threads");
  CHECK(spread.points == spread.of);
  submission.typical->blocks = 1;
  CHECK(contains(judge_submission(submission).criteria[5].why, "GPU idle"));
}

TEST_CASE("one block is enough for a small case, and too few for the largest") {
  Report report = passing(relu());
  report.verdict = Verdict::fail;
  report.kernels[0].grid = {1, 1, 1};
  const Criterion full = rubric_of(report, {.problem = relu(), .report = report}).criteria[5];
  CHECK(full.why.find("GPU idle") != std::string::npos);
  report.counted_shape = {255};  // the cases after it did not run
  const Criterion small = rubric_of(report, {.problem = relu(), .report = report}).criteria[5];
  CHECK(small.why.find("GPU idle") == std::string::npos);
  CHECK(small.points == small.of);
  report.counts.push_back({.kind = RowKind::rung, .name = "4_best", .threads = 4096});
  const Criterion beside = rubric_of(report, {.problem = relu(), .report = report}).criteria[5];
  CHECK(beside.why.find("GPU idle") != std::string::npos);
}

TEST_CASE("a right kernel with 4 % of the best rung's speed is no good answer") {
  const Report report = passing(relu());
  const Rubric rubric = rubric_of(report, {.problem = relu(),
                                           .report = report,
                                           .main_right = true,
                                           .of_best = 0.04,
                                           .worked = 5min,
                                           .asked = questions});
  CHECK(rubric.total <= 62);
  CHECK(grade_of({.verdict = Verdict::pass, .worked_s = 60, .limit_s = 900, .of_best = 0.04}) ==
        Grade::hard);
}

TEST_CASE("every operator comes up, and what is asked often comes up often") {
  std::mt19937 chance{1};
  std::map<std::string, int> drawn;
  for (int i = 0; i < 20'000; ++i) ++drawn[draw_operator(chance).name];
  CHECK(drawn.size() == problems().size());
  CHECK(drawn["softmax"] > 3 * drawn["add"]);
}

TEST_CASE("where a session is held elsewhere, the holder is named") {
  const test::Scratch home;
  setenv("KATA_HOME", (home / ".").c_str(), 1);
  {
    const SessionLock page("drill", "the page");
    REQUIRE(page.ours());
    const SessionLock other("drill");
    CHECK_FALSE(other.ours());
    CHECK(other.holder() == "the page");
  }
  unsetenv("KATA_HOME");
}

TEST_CASE("the main case is a large one with ordinary values, of sizes like those that are timed") {
  CHECK(main_case(*find_problem("histogram")).shape.at(1) > 1);
  for (const Problem& problem : problems()) {
    const Case main = main_case(problem);
    INFO(name_of(problem, main));
    const double least_work = work(problem, largest(problem, problem.cases)) / 100;
    const bool has_large_normal =
        std::any_of(problem.cases.begin(), problem.cases.end(), [&](const Case& one) {
          return one.values == Values::normal && work(problem, one) >= least_work;
        });
    const bool has_floats = std::ranges::any_of(problem.signature.inputs,
                                                [](const auto& one) { return is_float(one.type); });
    if (has_large_normal && has_floats) CHECK(main.values == Values::normal);
    CHECK(problem.cost(main.shape).bytes_read > 1000);
  }
}

TEST_CASE("a README that lacks something says what, in one line") {
  const std::string whole =
      "# op\n\nDo it.\n\n## Constraints\n\n- none\n\n## Examples\n\nnone\n\n"
      "## Clarifying questions\n\n### sizes: How large?\n\n<details><summary>Answer</summary>\n\n"
      "Large.\n\n</details>\n\n## Hints\n\n### Hint 1\n\nThink.\n\n## Follow-up questions\n\n"
      "### Why?\n\nBecause.\n";
  const Result<ExerciseText> text = parse_exercise_text(whole, "README.md");
  REQUIRE(text);
  CHECK(text->task == "Do it.");
  CHECK(text->clarify.at(0).topic == "sizes");
  CHECK(text->clarify.at(0).question == "How large?");
  CHECK(text->clarify.at(0).answer == "Large.");
  CHECK(text->hints == std::vector<std::string>{"Think."});
  CHECK(text->follow_up.at(0).answer == "Because.");

  const auto complaint = [&](const std::string& from, const std::string& to) {
    std::string damaged = whole;
    damaged.replace(damaged.find(from), from.size(), to);
    const Result<ExerciseText> read = parse_exercise_text(damaged, "README.md");
    return read ? "" : read.error().message;
  };
  CHECK(complaint("## Hints", "## Hint") == "README.md lacks the section \"## Hints\"");
  CHECK(contains(complaint("### Hint 1", "### Hint 2"), "\"### Hint 1\" where \"### Hint 2\""));
  CHECK(contains(complaint("Think.", ""), "a text below \"### Hint 1\""));
  CHECK(contains(complaint("sizes: How", "How"), "a topic of one word"));
  CHECK(contains(complaint("Do it.", ""), "a task"));
  CHECK(contains(complaint("### Why?\n\nBecause.", "Because."), "\"### \" heading"));
}

TEST_CASE("Markdown is broken to 80 columns, code and tables are not") {
  std::string long_line(120, 'a');
  for (std::size_t i = 9; i < long_line.size(); i += 10) long_line[i] = ' ';
  const std::string text = cli::prose(
      long_line + "\n\n    code   stays\n\n- item one\n  goes on\n- two\n\n| a | b |\n|---|---|\n",
      2);
  CHECK(contains(text, "    code   stays\n"));
  CHECK(contains(text, "  - item one goes on\n  - two\n"));
  CHECK(contains(text, "  | a | b |\n"));
  CHECK_FALSE(contains(text, "---"));
  CHECK(widest_line(text) <= 80);
}

TEST_CASE("what an interviewer says of any operator fits in 80 columns") {
  setenv("KATA_ROOT", KATA_SOURCE_DIR, 1);
  REQUIRE_FALSE(problems().empty());
  for (const Problem& problem : problems()) {
    INFO(problem.name);
    Result<ExerciseText> text = read_exercise_text(problem.name);
    REQUIRE(text);
    add_general_topics(problem, *text);
    CHECK(widest_line(cli::prose(text->task, 2)) <= 80);
    for (const std::string& hint : text->hints) CHECK(widest_line(cli::prose(hint, 2)) <= 80);
    for (const Question& one : text->clarify) {
      CHECK(widest_line(cli::prose(one.answer, 4)) <= 80);
    }
    for (const Question& one : text->follow_up) {
      CHECK(widest_line(cli::prose(one.answer, 2)) <= 80);
    }
  }
  unsetenv("KATA_ROOT");
}

TEST_CASE("an interview begins with a sentence and code that answer nothing a person should ask") {
  setenv("KATA_ROOT", KATA_SOURCE_DIR, 1);
  for (const Problem& problem : problems()) {
    const Result<ExerciseText> text = read_exercise_text(problem.name);
    REQUIRE(text);
    const std::string opening = opening_of(problem);
    CAPTURE(opening);
    CHECK_FALSE(contains(opening, text->task));
    for (const char* const decides :
         {"inclusive", "exclusive", "stable", "sorted", "descending", "flipped", "biased",
          "directed", "decoupled", "interleaved", "padded", "clamped", "in place", "exact"})
      CHECK_FALSE(contains(opening, decides));
    const std::string given = read_file(stub(problem.name)).value_or("");
    const std::string comment = given.substr(0, given.find("#include"));
    CHECK_FALSE(contains(interview_text(problem, given), comment));
    CHECK(contains(interview_text(problem, given), given.substr(comment.size())));
  }
  unsetenv("KATA_ROOT");
}
