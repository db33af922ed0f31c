// kata list: operators, and where you stand with each.
#include "cli/list.h"

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/open_history.h"
#include "cli/terminal.h"
#include "grading/ladder.h"
#include "practice/state.h"
#include "problems/problem.h"
#include "report/layout.h"
#include "support/paths.h"

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

}  // namespace

std::string list_text(bool color) {
  std::string text =
      fmt::format("{}state\n", fmt::format(row, "operator", "asked", "difficulty", "rungs"));
  const Result<History> history = open_history();
  for (const Problem& problem : problems()) {
    const State state = state_of(problem.name, history);
    const std::string line = fmt::format(row, problem.name, problem.frequency, problem.difficulty,
                                         ladder(problem.name).size());
    text += line + layout::paint(to_string(state), color_of(state), color) + "\n";
  }
  return text;
}

void add_list(CLI::App& app, Session& session) {
  Command(app, "list", "The operators, and where you stand with each").does([&session] {
    fmt::print("{}\nWhat to do next: {}\n", list_text(color_wanted(session.plain)), command_name());
  });
}

}  // namespace kata::cli
