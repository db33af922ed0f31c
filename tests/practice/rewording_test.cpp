// Every decision is made from what a report holds as types: a message can be reworded freely.
#include <doctest/doctest.h>

#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "grading/ladder.h"
#include "grading/level.h"
#include "practice/history.h"
#include "practice/interview/rubric.h"
#include "report/json.h"
#include "report/text/tables.h"
#include "report/text/text.h"
#include "scratch.h"
#include "support/process.h"
#include "timing/measured_times.h"

namespace fs = std::filesystem;
using namespace kata;

namespace {

Report report_of(const std::string& file) {
  const kata::test::Scratch home;
  const auto finished = run(
      {.arguments = {KATA_BINARY_DIR "/kata", "check", fs::path(KATA_SOURCE_DIR) / "tests" / file,
                     "--backend", "emulator", "--chip", "none", "--json", "--seed", "7"},
       .environment = {{"KATA_HOME", home.path()}},
       .time_limit_s = 300});
  REQUIRE(finished);
  const std::optional<Report> report = report_from_json_text(finished->output);
  REQUIRE_MESSAGE(report, finished->output, finished->errors);
  CHECK(finished->exit_status == exit_status(report->verdict));
  return *report;
}

/// The candidate beside the times that are kept with its ladder, as a GPU would report it.
Report with_times(Report report) {
  const Result<MeasuredTimes> kept = measured_times(*find_problem(report.operator_name));
  REQUIRE(kept);
  report.timing = kept->rows;
  TimingRow yours = report.timing.at(0);
  yours.kind = RowKind::yours;
  yours.name = yours_name;
  report.timing.insert(report.timing.begin(), yours);
  return report;
}

/// The first failing case changes at each run: a person sees it before larger ones.
Report with_unsteady_case(Report report) {
  for (CaseResult& one : report.cases) {
    if (one.verdict != Verdict::fail) continue;
    one.explanation = "different in each run";
    one.explanation_kind = ExplanationKind::nondeterministic;
    break;
  }
  return report;
}

/// The same report with every text for a person replaced. The names of rungs, files and kernels
/// stay: they say which one is meant.
Report reworded(Report report, const std::string& text) {
  const auto replace = [&](std::string& old) {
    if (!old.empty()) old = text;
  };
  const auto replace_name = [&](auto& row) {
    if (row.kind != RowKind::rung) row.name = text;
  };
  for (CaseResult& one : report.cases) {
    replace(one.name);
    replace(one.explanation);
    if (one.first_bad) replace(one.first_bad->element);
  }
  for (Finding& one : report.findings) {
    replace(one.message);
    replace(one.note);
  }
  for (TimingRow& row : report.timing) {
    replace_name(row);
    replace(row.error);
  }
  for (CountRow& row : report.counts) replace_name(row);
  for (std::string* const old :
       {&report.error, &report.detail, &report.output, &report.counted_case}) {
    replace(*old);
  }
  return report;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

/// Everything that is decided about a candidate.
struct Decisions {
  Verdict verdict = Verdict::error;
  std::optional<std::ptrdiff_t> told_first = {};  ///< of the cases
  std::vector<std::string> findings;              ///< the heading of each, in the order shown
  std::vector<std::size_t> bold_rows;             ///< of the tables
  std::optional<std::tuple<int, std::string, std::vector<std::string>, double>> level;
  std::vector<int> points;  ///< of an interview
  std::pair<std::string, double> kept_time;
  std::string next_step;

  bool operator==(const Decisions&) const = default;
};

std::vector<std::string> findings_shown(const Report& report) {
  std::vector<std::string> heads;
  for (const std::string& line : lines_of(findings_text(report, {}))) {
    const std::size_t end = std::min(line.find(": error: "), line.find(": warning: "));
    if (end != std::string::npos) heads.push_back(line.substr(0, line.find(": ", end + 9)));
  }
  return heads;
}

std::vector<std::size_t> bold_rows(const Report& report) {
  std::vector<std::size_t> rows;
  const auto lines = lines_of(timing_tables(report, true, true) + counts_table(report, true, true));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find("\x1b[1m") != std::string::npos) rows.push_back(i);
  }
  return rows;
}

std::vector<int> points(const Problem& problem, const Report& report, double of_best) {
  std::vector<int> all;
  for (const Criterion& one : judge_submission({.problem = problem,
                              .report = report,
                              .main_right = report.verdict == Verdict::pass,
                              .of_best = of_best,
                              .worked = Milliseconds(1000),
                              .limit = Milliseconds(3000)})
                                  .criteria) {
    all.push_back(one.points);
  }
  return all;
}

Decisions decisions(const Report& report) {
  const Problem& problem = *find_problem(report.operator_name);
  Decisions all{};
  all.verdict = report.verdict;
  if (const CaseResult* told = most_specific_failure(report))
    all.told_first = told - report.cases.data();
  all.findings = findings_shown(report);
  all.bold_rows = bold_rows(report);
  const std::optional<Level> level = level_of(report, ladder(problem.name));
  if (level) all.level = {level->rung, level->name, level->same, level->of_best};
  all.points = points(problem, report, level ? level->of_best : 0);
  const Attempt attempt = attempt_from(report, AttemptKind::check, "");
  all.kept_time = {attempt.size, attempt.median_us};
  all.next_step = next_step_text(report);
  REQUIRE(all.next_step.starts_with("Next: "));
  return all;
}

void check_rewording(const Report& report) {
  const Decisions before = decisions(report);
  const std::string misleading =
      "yours, a limit (copy), library_x or 1_naive: PASS, not judged, different in each run, race, "
      "never written, transposed, loading, and no pattern fits";
  for (const std::string& text : {std::string("-"), misleading}) {
    CAPTURE(text);
    const Report other = reworded(report, text);
    const Decisions after = decisions(other);
    CHECK(after.verdict == before.verdict);
    CHECK(after.told_first == before.told_first);
    CHECK(after.findings == before.findings);
    CHECK(after.bold_rows == before.bold_rows);
    CHECK(after.level == before.level);
    CHECK(after.points == before.points);
    CHECK(after.kept_time == before.kept_time);
    CHECK(after.next_step == before.next_step);
    const std::optional<Report> read_back = report_from_json_text(to_json_text(other));
    REQUIRE(read_back);
    CHECK(decisions(*read_back) == before);
  }
}

}  // namespace

TEST_CASE("rewording a message changes no decision") {
  for (const char* const file : {"verdicts/wrong/add.cu", "verdicts/wrong/reduce_sum_race.cu",
                                 "verdicts/wrong/sgemm.cu", "verdicts/wrong/softmax.cu",
                                 "verdicts/wrong/softmax_rows.cu", "verdicts/wrong/transpose.cu"}) {
    CAPTURE(file);
    const Report report = report_of(file);
    CHECK(report.verdict == Verdict::fail);
    CHECK(decisions(report).told_first);
    check_rewording(report);
    check_rewording(with_unsteady_case(report));
  }
  const Report report = report_of("practice/candidates/relu_float4.cu");
  CHECK(report.verdict == Verdict::pass);
  CHECK(decisions(report).level);
  check_rewording(report);
  const Report timed = with_times(report);
  CHECK(decisions(timed).kept_time.second > 0);
  check_rewording(timed);
}
