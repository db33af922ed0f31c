#include "practice/interview/rubric.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "grading/estimates.h"
#include "grading/ladder.h"
#include "judge/judge.h"
#include "support/text.h"
#include "timing/chip.h"

namespace kata {
namespace {

constexpr double as_good_as_best = 0.8;  // of the best rung: all points for efficiency

// Findings that say that the kernel was right by luck, if at all.
constexpr std::array unsafe = {FindingKind::race,           FindingKind::out_of_bounds,
                               FindingKind::uninitialized,  FindingKind::barrier_divergence,
                               FindingKind::deadlock,       FindingKind::misaligned,
                               FindingKind::input_modified, FindingKind::nondeterministic};

std::uint64_t product(const std::array<unsigned, 3>& dims) {
  return std::uint64_t{dims[0]} * dims[1] * dims[2];
}

std::string first_line(const Report& report) {
  return report.error.empty() ? "nothing ran" : report.error;
}

bool is_right(const Submission& submission) {
  return submission.main_right.value_or(false);
}

/// An equal part for each question that matters.
Criterion questions_asked(const Submission& submission) {
  std::vector<std::string> asked, others;
  for (const std::string& topic : submission.matters) {
    const auto& all = submission.asked;
    (std::find(all.begin(), all.end(), topic) != all.end() ? asked : others).push_back(topic);
  }
  const std::string missed = others.empty() ? "" : "not about " + joined(others, ", ");
  return {.name = "questions asked",
          .points = static_cast<int>(asked_points * asked.size() /
                                     std::max<std::size_t>(1, submission.matters.size())),
          .of = asked_points,
          .why = asked.empty() ? missed
                               : fmt::format("about {}{}{}", joined(asked, ", "),
                                             missed.empty() ? "" : ", ", missed)};
}

Criterion right_on_main_case(const Submission& submission) {
  const Case main = main_case(submission.problem);
  const bool was_run = std::ranges::any_of(submission.report.cases, [&](const CaseResult& one) {
    return one.tested == main && !one.large;
  });
  // After three wrong cases the judge stops: then the main one is run for the rubric.
  const std::string name =
      name_of(submission.problem, main) + (submission.main_right && !was_run ? ", run alone," : "");
  Criterion criterion{.name = "right on the main case", .of = main_points, .why = {}};
  const bool right = is_right(submission);
  criterion.points = right ? main_points : 0;
  criterion.why = right                                         ? name + " is right"
                  : submission.report.verdict == Verdict::error ? first_line(submission.report)
                  : submission.main_right                       ? name + " is wrong"
                                                                : name + " did not run";
  return criterion;
}

Criterion right_on_edges(const Submission& submission) {
  const Report& report = submission.report;
  const Case main = main_case(submission.problem);
  bool main_was_run = false;
  int main_right = 0;
  std::string first_wrong, wrong_large;
  for (const CaseResult& one : report.cases) {
    const bool is_right = one.verdict == Verdict::pass;
    if (one.tested == main && !one.large) {
      main_right = is_right;
      main_was_run = true;
    } else if (!is_right) {
      std::string& first = one.large ? wrong_large : first_wrong;
      if (first.empty()) first = one.name;
    }
  }
  Criterion criterion{.name = "right on the edges", .of = edge_points, .why = {}};
  const CaseCount count = count_cases(report);
  const int others = count.of - 1, right = count.right - main_right;
  if (report.cases.empty() || others <= 0) {
    criterion.why = "no case was run";
    return criterion;
  }
  // A wrong large size counts as one more edge: the others are run only where all cases are right.
  criterion.points = edge_points * right / (others + !wrong_large.empty());
  criterion.why = fmt::format("{} of {} other cases right", right, others);
  if (!first_wrong.empty()) criterion.why += ", not " + first_wrong;
  if (!wrong_large.empty()) criterion.why += ", but wrong at a large size: " + wrong_large;
  if (report.cases_not_run > 0)
    criterion.why +=
        fmt::format("; {} not run, which counts as wrong", report.cases_not_run - !main_was_run);
  return criterion;
}

/// The names of such findings of that severity.
std::vector<std::string> unsafe_found(const Report& report, Severity severity) {
  std::vector<std::string> names;
  for (const FindingKind kind : unsafe) {
    const bool found = std::ranges::any_of(report.findings, [&](const Finding& one) {
      return one.kind == kind && one.severity == severity;
    });
    if (found) names.emplace_back(to_string(kind));
  }
  return names;
}

Criterion clean(const Submission& submission) {
  const Report& report = submission.report;
  Criterion criterion{.name = "no races, no over-reads", .of = clean_points, .why = {}};
  if (report.cases.empty()) {
    criterion.why = "nothing ran";
    return criterion;
  }
  const std::vector<std::string> errors = unsafe_found(report, Severity::error),
                                 warnings = unsafe_found(report, Severity::warning);
  if (!errors.empty()) criterion.why = "found: " + joined(errors, ", ");
  // A kernel that computes nothing has no races.
  if (criterion.why.empty() && report.verdict != Verdict::pass && !is_right(submission)) {
    criterion.why = "counts only where the main case is right";
  } else if (criterion.why.empty()) {
    criterion.points = clean_points;
    criterion.why = warnings.empty() ? "none found"
                                     : fmt::format("none found; a warning costs no points: {}",
                                                   joined(warnings, ", "));
  }
  return criterion;
}

/// What Level::of_best was made of.
const char* measure_of(const Report& report) {
  if (!report.timing.empty()) return "time";
  return report.level && !report.level->size.empty() ? "estimated time" : "counts";
}

Criterion efficiency(const Submission& submission) {
  Criterion criterion{.name = "efficiency", .of = efficiency_points, .why = {}};
  if (submission.report.verdict != Verdict::pass) {
    criterion.why = "counts only where everything is right";
  } else if (submission.of_best <= 0) {
    criterion.of = 0;
    criterion.why = "its time is not known without a GPU; the other points are scaled to 100";
  } else {
    const double share = std::min(1.0, submission.of_best / as_good_as_best);
    criterion.points = static_cast<int>(std::lround(efficiency_points * share));
    criterion.why =
        fmt::format("{:.0f} % as fast as the best rung by its {}; {:.0f} % gives all points",
                    100 * submission.of_best, measure_of(submission.report), 100 * as_good_as_best);
  }
  const std::vector<Rung> rungs = ladder(submission.problem.name);
  if (const Rung* goal = goal_of(rungs)) {
    const auto& level = submission.report.level;
    if (level)
      criterion.why +=
          fmt::format("; {} rung {}", level->behind > 1 ? "nearest to" : "level with", level->rung);
    criterion.why += fmt::format("; the goal is rung {}", goal->name);
  }
  return criterion;
}

/// One block where there is work for more: at a typical size, for the whole main case, or where the
/// last rung has more threads than a block can have.
bool leaves_gpu_idle(const Submission& submission, std::uint64_t blocks) {
  const Report& report = submission.report;
  if (blocks > 1) return false;
  if (submission.typical || report.counted_shape == main_case(submission.problem).shape)
    return true;
  constexpr std::uint64_t most_threads_of_a_block = 1024;
  const bool has_rungs = !report.counts.empty() && report.counts.back().kind == RowKind::rung;
  return has_rungs && report.counts.back().threads > most_threads_of_a_block;
}

/// Valid 2, whole warps 1, more than one block where there is work for more 2.
Criterion launch_config(const Submission& submission) {
  Criterion criterion{.name = "launch configuration", .of = launch_points, .why = {}};
  const Report& report = submission.report;
  const auto launch =
      submission.typical ? submission.typical : main_launch(report.kernels, report.counted_shape);
  const bool refused = has_kind(report.findings, FindingKind::invalid_launch);
  if (refused || (!launch && report.verdict != Verdict::pass)) {
    criterion.why = refused ? "a launch was refused" : "no launch was seen";
    return criterion;
  }
  if (!launch) {  // a GPU counts none
    criterion.points = launch_points;
    criterion.why = "every launch was accepted";
    return criterion;
  }
  criterion.points = 2;
  criterion.why = fmt::format("{} at {}: {} block{} of {} threads", launch->kernel, launch->size,
                              launch->blocks, launch->blocks == 1 ? "" : "s", launch->threads);
  const bool whole_warps = launch->threads % 32 == 0;
  if (whole_warps) criterion.points += 1;
  const bool is_idle = leaves_gpu_idle(submission, launch->blocks);
  if (!is_idle) criterion.points += 2;
  if (!whole_warps) criterion.why += "; not whole warps";
  if (is_idle) criterion.why += "; one block leaves the rest of the GPU idle";
  return criterion;
}

/// All points up to half of the time, half of them at its end, none after it.
Criterion time_used(const Submission& submission) {
  Criterion criterion{.name = "time used", .of = time_points, .why = {}};
  const double used = static_cast<double>(submission.worked.count()) /
                      static_cast<double>(std::max<std::int64_t>(1, submission.limit.count()));
  criterion.why =
      fmt::format("{} of {}", clock_text(submission.worked), clock_text(submission.limit));
  if (!is_right(submission)) {
    criterion.why += "; counts only where the main case is right";
  } else if (used > 1) {
    criterion.why += ": over time";
  } else {
    criterion.points = static_cast<int>(std::lround(time_points * std::min(1.0, 1.5 - used)));
  }
  return criterion;
}

}  // namespace

std::optional<MainLaunch> main_launch(const std::vector<KernelRecord>& launches,
                                      const Shape& shape) {
  const auto most = std::ranges::max_element(launches, {}, [](const KernelRecord& one) {
    return one.global_load.bytes + one.global_store.bytes;
  });
  if (most == launches.end()) return {};
  return MainLaunch{most->name, product(most->grid), product(most->block), to_string(shape)};
}

std::optional<MainLaunch> typical_launch(const Problem& problem, const Report& report,
                                         const Candidate& candidate, const std::string& chip) {
  if (report.verdict != Verdict::pass || report.kernels.empty() || problem.bench_shapes.empty())
    return {};
  const Result<Chip> found = find_chip(chip);
  if (!found) return {};
  const Result<CallToProfile> call = call_to_profile(candidate, *found);
  if (!call) return {};
  const Shape& shape = problem.bench_shapes.front();
  const auto launches = kernels_of_call(problem, shape, *call);
  if (!launches) return {};
  std::vector<KernelRecord> counts;
  for (const LaunchProfile& one : *launches) counts.push_back(one.counts);
  return main_launch(counts, shape);
}

Case main_case(const Problem& problem) {
  std::vector<Case> ordinary = problem.cases;
  const double least_work = work(problem, largest(problem, problem.cases)) / 100;
  // Integers have no normal numbers; all of their range is as ordinary.
  const bool has_floats = std::ranges::any_of(
      problem.signature.inputs, [](const Parameter& one) { return is_float(one.type); });
  std::erase_if(ordinary, [&](const Case& one) {
    const bool is_ordinary =
        one.values == Values::normal || (!has_floats && one.values == Values::uniform);
    return !is_ordinary || work(problem, one) < least_work;
  });
  if (ordinary.empty() || problem.bench_shapes.empty())
    return largest(problem, ordinary.empty() ? problem.cases : ordinary);
  // In factors, over all sizes: 20001x1025 is nearer to 67108864x256 than 70002x1 is.
  const Shape& typical = problem.bench_shapes.front();
  const auto distance = [&](const Case& one) {
    double sum = 0;
    for (std::size_t i = 0; i < typical.size(); ++i)
      sum += std::abs(std::log(std::max(1, one.shape[i]) / double(std::max(1, typical[i]))));
    return sum;
  };
  return *std::ranges::min_element(ordinary, {}, distance);
}

Rubric judge_submission(const Submission& submission) {
  Rubric rubric{.criteria = {questions_asked(submission), right_on_main_case(submission),
                             right_on_edges(submission), clean(submission), efficiency(submission),
                             launch_config(submission), time_used(submission)},
                .hints = submission.hints};
  int points = 0, of = 0;
  for (const Criterion& one : rubric.criteria) {
    points += one.points;
    of += one.of;
  }
  rubric.total = (100 * points + of / 2) / of;
  rubric.lost_to_hints = std::min(rubric.total, points_per_hint * submission.hints);
  rubric.total -= rubric.lost_to_hints;
  return rubric;
}

}  // namespace kata
