#include "practice/drill/judging.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

#include "judge/case_judge.h"
#include "judge/judge.h"
#include "practice/drill/answer.h"
#include "report/layout.h"

namespace kata::drill {
namespace {

constexpr double longest_input_s = 30;  // some 10^7 elements on a busy machine

/// " (x = 0.5, -3.1)"; empty where there are more than a few.
std::string drawn_values(const Problem& problem, const Case& one_case) {
  constexpr std::int64_t most = 8;
  std::int64_t all = 0;
  for (const Parameter& one : problem.signature.inputs) all += count(one.dims(one_case.shape));
  if (all > most) return {};
  const Inputs inputs = make_inputs(problem, one_case, judge_seed);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::vector<std::string> values;
    for (std::size_t j = 0; j < inputs[i].size(); ++j)
      values.push_back(layout::number(inputs[i][j]));
    parts.push_back(
        fmt::format("{} = {}", problem.signature.inputs[i].name, fmt::join(values, ", ")));
  }
  return fmt::format(" ({})", fmt::join(parts, "; "));
}

/// Of the one case: its numbers, and where a finding is.
std::string what_fails(const Report& report) {
  const CaseResult* const failure = most_specific_failure(report);
  if (!failure) return report.error;
  const Finding* const finding = first_error(report.findings);
  if (finding && failure->bad == 0)
    return fmt::format("the result is right, but {}: {}{}", name_and_place(*finding),
                       finding->message, on_a_gpu(*finding));
  return what_shows(report, *failure) +
         (finding && finding->line > 0 && failure->bad > 0 ? "; " + name_and_place(*finding) : "");
}

GradeRequest request_for(const Problem& problem, const std::filesystem::path& place,
                         const std::string& text) {
  return {.candidate = {.path = place, .text = text, .problem = &problem},
          .seed = judge_seed,
          .all_cases = true,
          .with_ladder = false,
          .with_large = false};
}

}  // namespace

Report judged(const Problem& problem, const std::filesystem::path& place, const std::string& text) {
  return grade(request_for(problem, place, text));
}

Report judged_as_change(const Problem& problem, const std::filesystem::path& place,
                        const std::string& text) {
  GradeRequest request = request_for(problem, place, text);
  judge_as_change(request);
  return grade(request);
}

Report judged_with_drawn(const Problem& problem, const std::filesystem::path& place,
                         const std::string& text) {
  GradeRequest request = request_for(problem, place, text);
  request.all_cases = false;
  return grade(request);
}

Report judged_in_full(const Problem& problem, const std::filesystem::path& place,
                      const std::string& text) {
  GradeRequest request = request_for(problem, place, text);
  request.all_cases = false;
  request.with_large = true;
  return grade(request);
}

const CaseResult* passing_case(const Report& report) {
  for (const CaseResult& one : report.cases) {
    if (one.verdict == Verdict::pass) return &one;
  }
  return nullptr;
}

std::string without_guess(const std::string& explanation) {
  static const std::regex guess(
      R"(: (?:[^?:;]*\? ?)+$|(: )[^?:;]*\? | \([^()]*\?\)|; in the first run, .*)"
      R"(|, past the last multiple of [^;:]*)");
  return std::regex_replace(explanation, guess, "$1");
}

std::string what_shows(const Report& report, const CaseResult& failure) {
  const bool is_fact = !failure.first_bad ||
                       failure.explanation_kind == ExplanationKind::nondeterministic ||
                       has_kind(report.findings, FindingKind::output_incomplete);
  if (is_fact) return without_guess(failure.explanation);
  const FirstBad& bad = *failure.first_bad;
  return fmt::format(
      "{} is {} and should be {}{}", bad.element, layout::number(bad.got), layout::number(bad.want),
      failure.bad > 1 ? fmt::format("; {} of {} elements are wrong", failure.bad, failure.of) : "");
}

const Finding* heaviest(const Report& report, const std::function<int(const Finding&)>& weight) {
  const Finding* best = nullptr;
  for (const Finding& one : report.findings) {
    if (one.severity != Severity::error || one.line == 0) continue;
    if (!best || weight(one) > weight(*best)) best = &one;
  }
  return best;
}

std::string on_a_gpu(const Finding& finding) {
  return finding.kind == FindingKind::misaligned ? "; a GPU stops there with an error" : "";
}

std::string evidence(const Problem& problem, const Finding& finding) {
  return fmt::format("{}{}: {}{}", finding.seen_in ? name_of(problem, *finding.seen_in) + ": " : "",
                     name_and_place(finding), without_guess(finding.message), on_a_gpu(finding));
}

std::string evidence(const Problem& problem, const Report& report) {
  const Finding* const first = heaviest(report, [](const Finding&) { return 0; });
  const CaseResult* const failure = most_specific_failure(report);
  if (first) return evidence(problem, *first);
  return failure ? failure->name + ": " + what_shows(report, *failure) : report.error;
}

Result<Input> run_input(const Problem& problem, const std::string& text,
                        const std::filesystem::path& place, const std::string& typed) {
  const Result<Case> one_case = case_from(problem, typed);
  if (!one_case) return one_case.error();
  GradeRequest request = request_for(problem, place, text);
  request.candidate.size = one_case->shape;
  request.candidate.values = one_case->values;
  request.candidate.reals = one_case->reals;
  request.strict_limit_s = longest_input_s;
  const Report report = grade(request);
  if (report.verdict == Verdict::error) return Error{report.error};
  if (has_kind(report.findings, FindingKind::timeout))
    return Error{fmt::format("It takes more than {} s at {}: type a smaller size.", longest_input_s,
                             name_of(problem, *one_case))};
  // The judge calls it again with other scalars: what is wrong with those alone is right here.
  const bool only_others_fail =
      !report.cases.empty() && std::ranges::none_of(report.cases, [&](const CaseResult& one) {
        return one.verdict == Verdict::fail &&
               arguments_of(problem, one.tested).reals == arguments_of(problem, *one_case).reals;
      });
  Input input{.name = name_of(problem, *one_case),
              .fails = report.verdict != Verdict::pass && !only_others_fail};
  input.remark = input.fails ? fmt::format("{} fails: {}", input.name, what_fails(report))
                             : fmt::format("the result for {} is right{}", input.name,
                                           drawn_values(problem, *one_case));
  return input;
}

}  // namespace kata::drill
