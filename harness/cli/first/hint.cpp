// kata hint: the next of an exercise's staged hints.
#include "cli/first/hint.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/open_history.h"
#include "cli/terminal/prose.h"
#include "practice/exercise/hint.h"
#include "practice/history.h"
#include "report/layout.h"
#include "support/paths.h"

namespace kata::cli {
namespace {

int hint(const std::string& name, const std::string& number, bool json) {
  if (const auto problem = find_operator(name); !problem) return fail(problem.error(), json);
  const Result<ShownHint> shown = show_hint(name, number);
  if (!shown) return fail(shown.error(), json);
  if (json) {
    print_json({{"schema", 1},
                {"operator", name},
                {"number", shown->number},
                {"last", shown->last},
                {"text", shown->text}});
    return 0;
  }
  fmt::print("{}", shown->text);
  if (shown->needs_level) {
    fmt::print("Compare:\n  {0} check {1}\nor read it idea by idea:\n  {0} show {1}\n",
               command_name(), name);
  } else if (shown->number == 0) {
    fmt::print("Then check again:\n  {} check {}\n", command_name(), name);
  } else if (shown->last) {
    const std::vector<Rung> rungs = ladder(name);
    if (const Rung* goal = goal_of(rungs))
      fmt::print("The rung to reach in 30 minutes is {}.\n", goal->name);
    fmt::print("That was the last. Check what you have:\n  {} check {}\n", command_name(), name);
  } else {
    fmt::print("The next one:\n  {} hint {} {}\n", command_name(), name, shown->number + 1);
  }
  return 0;
}

}  // namespace

std::string hint_text(const std::string& hint, std::size_t number, std::size_t all) {
  return fmt::format("Hint {} of {}\n\n{}\n", number, all, prose(hint, 2));
}

Result<ShownHint> show_hint(const std::string& operator_name, const std::string& number) {
  Result<History> history = open_history();
  const auto next =
      number.empty() ? idea_after_pass(operator_name, history) : std::optional<NextIdea>();
  if (next && !next->known) {
    return ShownHint{.text =
                         "Your last check passed, but your level is not known: a faster idea "
                         "needs the\ncomparison with the ladder.\n",
                     .needs_level = true};
  }
  if (next) {
    return ShownHint{.text = next->idea.empty()
                                 ? "Your last check passed, level with the top of the ladder.\n"
                                 : "Your last check passed. A faster idea:\n\n" +
                                       layout::paragraph(next->idea, 2) + "\n"};
  }
  const Result<Hint> hint = take_hint(operator_name, number, std::move(history));
  if (!hint) return hint.error();
  const auto stage = static_cast<std::size_t>(hint->number);
  ShownHint shown{.text = hint_text(hint->text, stage, static_cast<std::size_t>(hint->all)),
                  .number = hint->number,
                  .last = hint->number == hint->all};
  if (hint->counts)
    shown.text += "This counts: an exercise solved with a hint is graded \"hard\".\n";
  return shown;
}

void remember_solution_seen(const std::string& operator_name, const std::string& rung) {
  Result<History> history = open_history();
  if (!history) return;
  history->add(
      Event{.operator_name = operator_name, .kind = Event::Kind::solution, .detail = rung});
}

void add_hint(CLI::App& app, Session& session) {
  static std::string name, number;
  static bool json = false;
  Command(app, "hint", "Show the next hint; the grade is then \"hard\"")
      .operand("operator", name, "Whose hints")
      .optional_operand("number", number, "A hint that you have seen, again")
      .flag("--json", json, "One JSON object on standard output")
      .does([&session] { session.status = hint(name, number, json); });
}

}  // namespace kata::cli
