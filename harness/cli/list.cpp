// kata list: operators, and where you stand with each.
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/terminal.h"
#include "grading/ladder.h"
#include "practice/state.h"
#include "problems/problem.h"
#include "report/layout.h"

namespace kata::cli {
namespace {

constexpr const char* row = "{:<14} {:<10} {:<10} {:>5}  ";

layout::Color color_of(State state) {
  switch (state) {
    case State::passes:
      return layout::Color::green;
    case State::fails:
    case State::does_not_compile:
      return layout::Color::red;
    case State::changed:
    case State::untested:
      return layout::Color::yellow;
    default:
      return layout::Color::plain;
  }
}

void list(const Session& session) {
  const bool color = color_wanted(session.plain);
  fmt::print("{}state\n", fmt::format(row, "operator", "asked", "difficulty", "rungs"));
  const Result<History> history = History::open();
  for (const Problem& problem : problems()) {
    const State state = state_of(problem.name, history);
    const std::string line = fmt::format(row, problem.name, problem.frequency, problem.difficulty,
                                         ladder(problem.name).size());
    fmt::print("{}{}\n", line, layout::paint(to_string(state), color_of(state), color));
  }
}

}  // namespace

void add_list(CLI::App& app, Session& session) {
  Command(app, "list", "The operators, and where you stand with each").does([&session] {
    list(session);
  });
}

}  // namespace kata::cli
