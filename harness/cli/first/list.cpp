// kata list: operators, and where you stand with each.
#include "cli/first/list.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/open_history.h"
#include "cli/terminal/terminal.h"
#include "grading/ladder.h"
#include "practice/exercise/labels.h"
#include "practice/state.h"
#include "problems/spec/problem.h"
#include "report/layout.h"
#include "support/paths.h"

namespace kata::cli {
namespace {

using Json = nlohmann::json;

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

/// `chosen` empty: all are.
bool is_listed(const Problem& problem, const std::vector<const Problem*>& chosen) {
  return chosen.empty() || std::ranges::find(chosen, &problem) != chosen.end();
}

}  // namespace

std::string list_text(bool color, const std::vector<const Problem*>& chosen) {
  const std::size_t names = name_width();
  std::string text = fmt::format(row_format, "operator", names, "asked", "difficulty", "rungs");
  text += "state\n";
  const Result<History> history = open_history();
  for (const Problem& problem : problems()) {
    if (!is_listed(problem, chosen)) continue;
    const State state = state_of(problem.name, history);
    const std::string line = fmt::format(row_format, problem.name, names, problem.frequency,
                                         problem.difficulty, ladder(problem.name).size());
    text += line + layout::paint(to_string(state), color_of(state), color) + "\n";
  }
  return text;
}

namespace {

struct ListOptions {
  std::string track, tag;
  bool json = false;
};

/// One object for each of these operators, in the order of the list.
Json json_of(const std::vector<const Problem*>& chosen) {
  Json operators = Json::array();
  const Result<History> history = open_history();
  for (const Problem& problem : problems()) {
    if (!is_listed(problem, chosen)) continue;
    operators.push_back({{"name", problem.name},
                         {"summary", problem.summary},
                         {"asked", problem.frequency},
                         {"difficulty", problem.difficulty},
                         {"rungs", ladder(problem.name).size()},
                         {"state", to_string(state_of(problem.name, history))}});
  }
  return {{"schema", 1}, {"operators", operators}};
}

int list(const Session& session, const ListOptions& options) {
  const auto& [track, tag, json] = options;
  std::vector<const Problem*> chosen;
  if (!track.empty() || !tag.empty()) {
    const auto found = problems_with(track, tag);
    if (!found) return fail(found.error(), json);
    if (found->empty()) {
      return fail({fmt::format("no operator of track {} has the tag {}", track, tag)}, json);
    }
    chosen = *found;
  }
  if (json) {
    print_json(json_of(chosen));
    return 0;
  }
  print_paged(fmt::format("{}\nWhat to do next: {}\n",
                          list_text(color_wanted(session.plain), chosen), command_name()),
              session.plain);
  return 0;
}

}  // namespace

void add_list(CLI::App& app, Session& session) {
  static ListOptions options;
  Command(app, "list", "List the operators, and where you stand with each")
      .option("--track", "TRACK", options.track, "Only these, e.g. inference")
      .option("--tag", "TAG", options.tag, "Only these, e.g. reduction")
      .flag("--json", options.json, "One JSON object on standard output")
      .does([&session] { session.status = list(session, options); });
}

}  // namespace kata::cli
