#include "practice/drill/judging.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <regex>

#include "judge/case_judge.h"
#include "judge/judge.h"
#include "report/layout.h"
#include "support/text.h"

namespace kata::drill {
namespace {

constexpr double longest_input_s = 10;

/// "beta -1", as case names have it behind the values; what is not named has its usual value.
Result<std::vector<float>> reals_from(const Problem& problem, const std::string& text) {
  const std::vector<Parameter>& all = problem.signature.reals;
  std::vector<float> reals;
  for (const Parameter& one : all) reals.push_back(one.value);
  for (const std::string& part : split(text, ',')) {
    const std::string typed(trimmed(part));
    const std::string name = typed.substr(0, typed.find(' ')), number = typed.substr(name.size());
    const auto named = std::ranges::find(all, name, &Parameter::name);
    if (named == all.end()) return Error{fmt::format("{} has no scalar {}.", problem.name, name)};
    char* end = nullptr;
    const float value = std::strtof(number.c_str(), &end);
    if (end == number.c_str() || *end != '\0') return Error{name + " needs a number."};
    reals[static_cast<std::size_t>(named - all.begin())] = value;
  }
  return reals;
}

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
    return fmt::format("the result is right, but {}: {}", name_and_place(*finding),
                       finding->message);
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

Result<Case> case_from(const Problem& problem, const std::string& typed) {
  static const std::regex around_x(R"((\d) *x *(?=\d))");
  const std::string text = std::regex_replace(typed, around_x, "$1x");  // 2 x 5
  const std::size_t comma = std::min(text.find(','), text.size());
  const std::size_t space = std::min(text.find(' '), comma);
  const std::string values(trimmed(text.substr(space, comma - space)));
  const Result<Shape> shape = parse_shape(text.substr(0, space));
  if (!shape)
    return Error{"Type sizes and values, such as " + name_of(problem, problem.cases.front()) + "."};
  const auto known = std::find_if(std::begin(values_names), std::end(values_names),
                                  [&](const auto& one) { return one.second == values; });
  if (!values.empty() && known == std::end(values_names)) {
    std::vector<std::string> names;
    for (const auto& [value, name] : values_names) names.emplace_back(name);
    return Error{fmt::format("The kinds of values are: {}.", fmt::join(names, ", "))};
  }
  const Result<Shape> fitting = check_shape(problem, *shape);
  constexpr std::string_view option = "--size ";
  if (!fitting) {
    const std::string& why = fitting.error().message;
    return Error{why.substr(why.starts_with(option) ? option.size() : 0)};
  }
  Case one{*shape, values.empty() ? Values::normal : known->first};
  if (comma == text.size()) return one;
  auto reals = reals_from(problem, text.substr(comma + 1));
  if (!reals) return reals.error();
  one.reals = std::move(*reals);
  return one;
}

Report judged(const Problem& problem, const std::filesystem::path& place, const std::string& text) {
  return grade(request_for(problem, place, text));
}

Report judged_as_change(const Problem& problem, const std::filesystem::path& place,
                        const std::string& text) {
  GradeRequest request = request_for(problem, place, text);
  judge_as_change(request);
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
      R"(: (?:[^?:;]*\? ?)+$|(: )[^?:;]*\? | \([^()]*\?\)|; in the first run, .*)");
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

std::string evidence(const Problem& problem, const Finding& finding) {
  return fmt::format("{}{}: {}", finding.seen_in ? name_of(problem, *finding.seen_in) + ": " : "",
                     name_and_place(finding), without_guess(finding.message));
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
  Input input{.name = name_of(problem, *one_case), .fails = report.verdict != Verdict::pass};
  input.remark = input.fails ? fmt::format("{} fails: {}", input.name, what_fails(report))
                             : fmt::format("the result for {} is right{}", input.name,
                                           drawn_values(problem, *one_case));
  return input;
}

}  // namespace kata::drill
