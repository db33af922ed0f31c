// kata alone: what to do next.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/learn/plan.h"
#include "cli/open_history.h"
#include "cli/terminal/prose.h"
#include "practice/drill/record.h"
#include "practice/interview/interview.h"
#include "practice/path.h"
#include "practice/review.h"
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

std::string advice(const Problem& problem, State state) {
  const std::string file = shown(exercise(problem.name));
  const std::string check = fmt::format("  {} check {}\n", command_name(), problem.name);
  switch (state) {
    case State::changed:
    case State::untested:
      return layout::paragraph(fmt::format("You wrote in {} and have not checked it yet:", file),
                               0) +
             check;
    case State::fails:
    case State::does_not_compile:
      return layout::paragraph(
                 fmt::format("{} {}. Fix {}, then:", problem.name, to_string(state), file), 0) +
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
  std::map<State, const Problem*> first;  // the first problem in each state
  Result<History> history = open_history();
  if (history) fmt::print("{}{}", open_interview(*history), open_drill(*history));
  int passing = 0;
  for (const Problem* problem : learning_order()) {
    const State state = state_of(problem->name, history);
    passing += state == State::passes;
    first.emplace(state, problem);
  }
  fmt::print("{} of {} exercises pass.\n\n", passing, problems().size());
  if (history) {
    const auto today = todays_part(session.config, *history);
    if (!today) return fail(today.error());
    if (*today) {
      fmt::print("{}", **today);
      return 0;
    }
  }
  // What was begun comes before what was not.
  for (const State state : {State::changed, State::untested, State::fails, State::does_not_compile,
                            State::absent, State::not_started}) {
    if (!first.contains(state)) continue;
    fmt::print("{}\nEvery exercise: {} list     Every command: {} --help\n",
               advice(*first[state], state), command_name(), command_name());
    return 0;
  }
  fmt::print("All done. Can you do it against the clock? {} interview\n", command_name());
  return 0;
}

}  // namespace kata::cli
