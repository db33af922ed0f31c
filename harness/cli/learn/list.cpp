// kata list: operators, and where you stand with each.
#include "cli/learn/list.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/open_history.h"
#include "cli/terminal/terminal.h"
#include "grading/ladder.h"
#include "practice/labels.h"
#include "practice/state.h"
#include "problems/spec/problem.h"
#include "report/layout.h"
#include "support/paths.h"

namespace kata::cli {
namespace {

constexpr const char* row_format = "{:<{}} {:<10} {:<10} {:>5}  ";

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

std::string list_text(bool color, const std::vector<const Problem*>& chosen) {
  const std::size_t names = name_width();
  std::string text = fmt::format(row_format, "operator", names, "asked", "difficulty", "rungs");
  text += "state\n";
  const Result<History> history = open_history();
  for (const Problem& problem : problems()) {
    const bool wanted =
        chosen.empty() || std::find(chosen.begin(), chosen.end(), &problem) != chosen.end();
    if (!wanted) continue;
    const State state = state_of(problem.name, history);
    const std::string line = fmt::format(row_format, problem.name, names, problem.frequency,
                                         problem.difficulty, ladder(problem.name).size());
    text += line + layout::paint(to_string(state), color_of(state), color) + "\n";
  }
  return text;
}

namespace {

int list(const Session& session, const std::string& track, const std::string& tag) {
  std::vector<const Problem*> chosen;
  if (!track.empty() || !tag.empty()) {
    const auto found = problems_with(track, tag);
    if (!found) return fail(found.error());
    if (found->empty()) {
      return fail({fmt::format("no operator of track {} has the tag {}", track, tag)});
    }
    chosen = *found;
  }
  print_paged(fmt::format("{}\nWhat to do next: {}\n",
                          list_text(color_wanted(session.plain), chosen), command_name()),
              session.plain);
  return 0;
}

}  // namespace

void add_list(CLI::App& app, Session& session) {
  static std::string track, tag;
  Command(app, "list", "List the operators, and where you stand with each")
      .option("--track", "TRACK", track, "Only these, e.g. inference")
      .option("--tag", "TAG", tag, "Only these, e.g. reduction")
      .does([&session] { session.status = list(session, track, tag); });
}

}  // namespace kata::cli
