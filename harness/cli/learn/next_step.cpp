// kata alone: what to do next.
#include <fmt/format.h>

#include <algorithm>

#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/learn/plan.h"
#include "cli/open_history.h"
#include "cli/terminal/prose.h"
#include "practice/drill/record.h"
#include "practice/interview/interview.h"
#include "practice/path.h"
#include "practice/state.h"
#include "problems/spec/problem.h"
#include "report/layout.h"
#include "support/paths.h"

namespace kata::cli {
namespace {

/// "Step 2 of 7: Bytes, not operations" and the lesson; nothing beside the path.
std::string lesson_about(const Problem& problem) {
  const std::vector<Lesson> path = lessons();
  const auto lesson = std::ranges::find(path, &problem, &Lesson::problem);
  if (lesson == path.end()) return {};
  return fmt::format("Step {} of {}: {}\n{}\n", lesson - path.begin() + 1, path.size(),
                     lesson->title, prose(lesson->text, 2));
}

std::string advice(const NextExercise& next) {
  const Problem& problem = *next.problem;
  const std::string file = shown(exercise(problem.name));
  const std::string check = fmt::format("  {} check {}\n", command_name(), problem.name);
  if (next.why == NextExercise::Why::due)
    return layout::paragraph(fmt::format("Next: {}, for review: {}.", problem.name, next.reason),
                             0) +
           fmt::format("  {} review\n", command_name());
  switch (next.state) {
    case State::changed:
    case State::untested:
      return layout::paragraph(fmt::format("You wrote in {} and have not checked it yet:", file),
                               0) +
             check;
    case State::fails:
    case State::does_not_compile:
      return layout::paragraph(
                 fmt::format("{} {}. Fix {}, then:", problem.name, to_string(next.state), file),
                 0) +
             check;
    case State::absent:
      return layout::paragraph(no_exercise(problem.name).message, 0);
    default:
      return lesson_about(problem) +
             layout::paragraph(fmt::format("Next: {}: {}", problem.name, problem.summary), 0) +
             fmt::format("({}; how often it is asked: {})\nWrite the kernel in {}, then:\n{}",
                         problem.difficulty, problem.frequency, file, check);
  }
}

/// An interview that was left comes before everything else.
std::string open_interview(History& history) {
  const auto open = InterviewRecord::find_open(history);
  if (!open || !*open) return {};
  const Interview& state = (**open).state();
  return fmt::format(
      "Your interview about {} is open, {} of {} worked. Resume it:\n"
      "  {} interview --resume\n\n",
      state.operator_name, clock_text(state.clock.worked()), clock_text(state.limit),
      command_name());
}

std::string open_drill(History& history) {
  const auto open = drill::Record::find_open(history);
  if (!open || !*open) return {};
  const drill::Offer& offer = (**open).state().offer;
  return fmt::format("A drill ({}{}) is open. Go on:\n  {} drill\n\n", drill::to_string(offer.kind),
                     offer.problem ? ", " + offer.problem->name : "", command_name());
}

}  // namespace

int next_step(const Session& session) {
  Result<History> history = open_history();
  if (history) fmt::print("{}{}", open_interview(*history), open_drill(*history));
  const States states = states_of(history);
  const auto passing = std::ranges::count(states, State::passes, &States::value_type::second);
  fmt::print("{} of {} exercises pass.\n\n", passing, problems().size());
  const Result<NextStep> step = next_step(session.config, history, {}, &states);
  if (!step) return fail(step.error());
  if (step->plan) {
    fmt::print("Plan until {}: {} days.\n\n{}", session.config.plan_until, step->plan->days,
               today_text(*step));
  } else if (step->exercise.why == NextExercise::Why::ahead) {
    fmt::print("All done. Can you do it against the clock? {} interview\n", command_name());
  } else {
    fmt::print("{}\nEvery exercise: {} list     Every command: {} --help\n", advice(step->exercise),
               command_name(), command_name());
  }
  return 0;
}

}  // namespace kata::cli
