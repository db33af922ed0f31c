#include "grading/worker_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/text/diagnostic.h"
#include "support/paths.h"

namespace kata {
namespace {

constexpr std::size_t most_output = 2000;  // bytes

/// The case that a worker died in has no result of its own.
void add_unfinished_case(const Answers& answers, const Finding& cause, Report& report) {
  if (!answers.current || answers.current->stage != Stage::judging) return;
  report.cases.push_back({.name = answers.current->what,
                          .tested = answers.current->tested,
                          .verdict = Verdict::fail,
                          .explanation = std::string("the run stopped: ") + to_string(cause.kind)});
}

void count_not_run(std::size_t expected, Report& report) {
  for (std::size_t i = expected; i < report.cases.size(); ++i) report.cases[i].large = true;
  report.cases_not_run = static_cast<int>(expected - std::min(expected, report.cases.size()));
}

bool ended_itself(const WorkerRun& run) {
  return !run.process.timed_out && !run.answers.death && run.process.signal == 0;
}

/// A file that needs what this backend does not have is neither right nor wrong.
void give_up_at(const Finding& unsupported, Report& report) {
  report.verdict = Verdict::error;
  report.error = fmt::format("{}:{}: {}; a GPU can judge this file", shown(unsupported.file),
                             unsupported.line, unsupported.message);
  report.cases.clear();
  report.cases_not_run = 0;
}

}  // namespace

Report new_report(Backend backend, const GradeRequest& request) {
  Report report;
  report.candidate = shown(request.candidate.path);
  report.backend = backend == Backend::gpu ? "gpu" : "emulator";
  report.device = report.backend;
  report.seed = request.seed;
  if (request.candidate.problem) report.operator_name = request.candidate.problem->name;
  return report;
}

Report failed(Report report, const Error& error) {
  report.verdict = Verdict::error;
  report.error = error.message;
  report.detail = error.detail;
  if (error.unsupported_line > 0) {
    report.findings.push_back({.kind = FindingKind::unsupported,
                               .file = error.unsupported_file,
                               .line = error.unsupported_line,
                               .message = error.message});
  }
  return report;
}

Verdict verdict_of(const Report& report) {
  const auto has = [&](Verdict verdict) {
    return std::any_of(report.cases.begin(), report.cases.end(),
                       [&](const CaseResult& one) { return one.verdict == verdict; });
  };
  if (has(Verdict::fail) || first_error(report.findings)) return Verdict::fail;
  return has(Verdict::error) || report.cases.empty() ? Verdict::error : Verdict::pass;
}

void add_output(const Finished& process, bool all, Report& report) {
  report.output = output_of(process);
  report.output_lines = std::count(report.output.begin(), report.output.end(), '\n') +
                        (!report.output.empty() && report.output.back() != '\n');
  if (all || report.output.size() <= most_output) return;
  const std::size_t more = report.output.size() - most_output;
  report.output =
      fmt::format("{}\n... and {} more bytes\n", report.output.substr(0, most_output), more);
}

/// What the worker said becomes the report's.
void take_over(const WorkerRun& run, double limit_s, Report& report) {
  const Answers& answers = run.answers;
  if (!answers.device.empty()) report.device = answers.device;
  report.cases = answers.cases;
  report.cases_too_long = answers.cases_too_long;
  report.code = answers.code;
  report.findings = answers.findings;
  report.counted_case = answers.counted_case;
  report.counted_shape = answers.counted_shape;
  report.kernels = answers.kernels;
  if (answers.error) {
    report = failed(std::move(report), *answers.error);
    return;
  }
  if (const std::optional<Error> fault = own_timeout(run)) {
    report = failed(std::move(report), *fault);
    return;
  }
  if (!answers.done) {
    // Where a CHECK macro ends the process, what it checked is the cause.
    const Finding* const checked = ended_itself(run) ? first_error(answers.findings) : nullptr;
    const Finding cause = checked ? *checked : cause_of_death(run, limit_s);
    if (!checked) report.findings.push_back(cause);
    add_unfinished_case(answers, cause, report);
  }
  count_not_run(answers.cases_expected, report);
  add_columns(report.findings);
  for (const Finding& finding : report.findings) {
    if (finding.kind == FindingKind::unsupported && finding.severity == Severity::error)
      return give_up_at(finding, report);
  }
  report.verdict = verdict_of(report);
  if (report.verdict != Verdict::error) return;
  for (const CaseResult& one : report.cases) {
    if (one.verdict == Verdict::error) report.error = one.name + ": " + one.explanation;
  }
}

void explain_too_long(const Candidate& candidate, Report& report) {
  if (report.verdict != Verdict::error || !report.cases.empty() || report.cases_too_long == 0)
    return;
  if (!candidate.size) {
    report.error = "every case takes too long on the CPU: does the kernel repeat work?";
    return;
  }
  const bool is_exercise = candidate.path == exercise(report.operator_name);
  const std::string name = is_exercise ? report.operator_name : shell_word(shown(candidate.path));
  report.error = fmt::format(
      "{0} takes too long to judge on the CPU. Choose a smaller size; for its time: {1} bench {2} "
      "--size {0}",
      to_string(*candidate.size), command_name(), name);
}

void add_more_cases(const WorkerRun& run, double limit_s, Report& report) {
  Report large;
  take_over(run, limit_s, large);
  report.cases.insert(report.cases.end(), large.cases.begin(), large.cases.end());
  report.cases_too_long += large.cases_too_long;
  add_code(large.code, report.code);
  for (const Finding& one : large.findings) {
    const auto is_same = [&](const Finding& other) {
      return one.kind == other.kind && one.file == other.file && one.line == other.line;
    };
    if (std::ranges::none_of(report.findings, is_same)) report.findings.push_back(one);
  }
  report.verdict = verdict_of(report);
  if (large.verdict != Verdict::error) return;
  report.verdict = Verdict::error;
  report.error = large.error;
}

}  // namespace kata
