// kata alone: what to do next.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/commands.h"
#include "practice/state.h"
#include "problems/problem.h"
#include "support/paths.h"

namespace kata::cli {
namespace {

int place(const std::vector<std::string>& order, const std::string& word) {
  return static_cast<int>(std::find(order.begin(), order.end(), word) - order.begin());
}

/// Easy before hard, and what interviewers ask most first.
std::vector<const Problem*> learning_order() {
  std::vector<const Problem*> order;
  for (const Problem& problem : problems()) order.push_back(&problem);
  const auto rank = [](const Problem* problem) {
    return std::pair(place({"easy", "medium", "hard"}, problem->difficulty),
                     place({"very high", "high", "medium", "low"}, problem->frequency));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const Problem* a, const Problem* b) { return rank(a) < rank(b); });
  return order;
}

std::string advice(const Problem& problem, State state) {
  const std::string file = shown(exercise(problem.name));
  const std::string check = fmt::format("  {} check {}\n", command_name(), problem.name);
  switch (state) {
    case State::changed:
    case State::untested:
      return fmt::format("You wrote in {} and have not checked that yet:\n{}", file, check);
    case State::fails:
    case State::does_not_compile:
      return fmt::format("{} {}. Mend {}, then:\n{}", problem.name, to_string(state), file, check);
    case State::absent:
      return fmt::format("{} is missing. Get it back:\n  {} reset {}\n", file, command_name(),
                         problem.name);
    default:
      return fmt::format(
          "Next: {}: {}\n({}; how often it is asked: {})\n"
          "Write the kernel in {}, then:\n{}",
          problem.name, problem.summary, problem.difficulty, problem.frequency, file, check);
  }
}

}  // namespace

int next_step(const Session&) {
  std::map<State, const Problem*> first;  // the first problem in each state
  const Result<History> history = History::open();
  int passing = 0;
  for (const Problem* problem : learning_order()) {
    const State state = state_of(problem->name, history);
    passing += state == State::passes;
    first.emplace(state, problem);
  }
  fmt::print("{} of {} exercises pass.\n\n", passing, problems().size());
  // What was begun comes before what was not.
  for (const State state : {State::changed, State::untested, State::fails, State::does_not_compile,
                            State::absent, State::not_started}) {
    if (!first.contains(state)) continue;
    fmt::print("{}\nEvery exercise: {} list     Every command: {} --help\n",
               advice(*first[state], state), command_name(), command_name());
    return 0;
  }
  fmt::print("All done. Faster than the ladder? {} bench sgemm\n", command_name());
  return 0;
}

}  // namespace kata::cli
