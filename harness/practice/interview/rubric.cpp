#include "practice/interview/rubric.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "grading/ladder.h"
#include "judge/judge.h"
#include "support/text.h"

namespace kata {
namespace {

// What each criterion is worth: 100 in all.
constexpr int asked_points = 10, main_points = 15, edge_points = 15, clean_points = 10,
              efficiency_points = 40, launch_points = 5, time_points = 5;

constexpr double as_good_as_best = 0.8;  // of the best rung: all points for efficiency

// Findings that say that the kernel was right by luck, if at all.
constexpr std::array unsafe = {FindingKind::race,           FindingKind::out_of_bounds,
                               FindingKind::uninitialized,  FindingKind::barrier_divergence,
                               FindingKind::deadlock,       FindingKind::misaligned,
                               FindingKind::input_modified, FindingKind::nondeterministic};

std::uint64_t product(const std::array<unsigned, 3>& dims) {
  return std::uint64_t{dims[0]} * dims[1] * dims[2];
}

/// The launch that does most of the work, by bytes of global memory.
const KernelRecord* main_launch(const Report& report) {
  const auto bytes = [](const KernelRecord& one) {
    return one.global_load.bytes + one.global_store.bytes;
  };
  const auto most = std::max_element(
      report.kernels.begin(), report.kernels.end(),
      [&](const KernelRecord& a, const KernelRecord& b) { return bytes(a) < bytes(b); });
  return most == report.kernels.end() ? nullptr : &*most;
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
  const std::string name = name_of(submission.problem, main_case(submission.problem));
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
  int right = 0, ran = 0;
  bool main_ran = false;
  std::string first_wrong;
  for (const CaseResult& one : report.cases) {
    if (one.tested == main) {
      main_ran = true;
      continue;
    }
    ++ran;
    right += one.verdict == Verdict::pass;
    if (one.verdict != Verdict::pass && first_wrong.empty()) first_wrong = one.name;
  }
  Criterion criterion{.name = "right on the edges", .of = edge_points, .why = {}};
  if (ran == 0) {
    criterion.why = "no case was run";
    return criterion;
  }
  // A crash leaves out cases without a word: then the problem's own are counted.
  const int own = static_cast<int>(submission.problem.cases.size()) - 1;
  const int others = std::max(own, ran + report.cases_not_run - (main_ran ? 0 : 1));
  criterion.points = edge_points * right / others;
  criterion.why = right == others ? "every other case is right"
                                  : fmt::format("{} of {} other cases right", right, others);
  if (!first_wrong.empty()) criterion.why += ", not " + first_wrong;
  if (ran < others) criterion.why += fmt::format("; {} not run after what failed", others - ran);
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
    if (level) criterion.why += fmt::format("; level with rung {}", level->rung);
    criterion.why += fmt::format("; the goal is rung {}", goal->name);
  }
  return criterion;
}

/// One block for the whole main case, or for a case in which the last rung has more threads than a
/// block can have.
bool leaves_gpu_idle(const Submission& submission, std::uint64_t blocks) {
  const Report& report = submission.report;
  if (blocks > 1) return false;
  if (report.counted_shape == main_case(submission.problem).shape) return true;
  constexpr std::uint64_t most_threads_of_a_block = 1024;
  const bool has_rungs = !report.counts.empty() && report.counts.back().kind == RowKind::rung;
  return has_rungs && report.counts.back().threads > most_threads_of_a_block;
}

/// Valid 2, whole warps 1, more than one block where there is work for more 2.
Criterion launch_config(const Submission& submission) {
  Criterion criterion{.name = "launch configuration", .of = launch_points, .why = {}};
  const Report& report = submission.report;
  const KernelRecord* launch = main_launch(report);
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
  const std::uint64_t threads = product(launch->block), blocks = product(launch->grid);
  criterion.points = 2;
  criterion.why = fmt::format("{}: {} block{} of {} threads", launch->name, blocks,
                              blocks == 1 ? "" : "s", threads);
  const bool whole_warps = threads % 32 == 0;
  if (whole_warps) criterion.points += 1;
  const bool is_idle = leaves_gpu_idle(submission, blocks);
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

Case main_case(const Problem& problem) {
  std::vector<Case> ordinary = problem.cases;
  const double least_work = work(problem, largest(problem, problem.cases)) / 100;
  std::erase_if(ordinary, [&](const Case& one) {
    return one.values != Values::normal || work(problem, one) < least_work;
  });
  return largest(problem, ordinary.empty() ? problem.cases : ordinary);
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
