// kata hint: the next of an exercise's staged hints.
#include "cli/hint.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/prose.h"
#include "practice/exercise_text.h"
#include "practice/help.h"
#include "support/paths.h"

namespace kata::cli {
namespace {

/// What `kata hint relu 2` asks for; an Error unless there is such a hint.
Result<int> stage_from(const std::string& number, std::size_t hints) {
  int stage = 0;
  const char* const end = number.data() + number.size();
  const auto [parsed, failed] = std::from_chars(number.data(), end, stage);
  if (failed == std::errc() && parsed == end && stage >= 1 && stage <= static_cast<int>(hints)) {
    return stage;
  }
  return Error{fmt::format("there is no hint {}: there are 1 to {}", number, hints)};
}

/// Shown, remembered if it is new, and what to do next.
std::string taken(const std::string& operator_name, const std::vector<std::string>& hints,
                  int stage, int taken_before, History* history) {
  std::string text = hint_text(hints, static_cast<std::size_t>(stage));
  const bool is_new = stage > taken_before;
  const bool kept = is_new && history && !remember_hint(*history, operator_name, stage);
  if (kept) text += "It counts: what you solve with it is graded \"hard\".\n";
  const bool last = stage == static_cast<int>(hints.size());
  const std::string next = history ? "" : fmt::format(" {}", stage + 1);
  if (last) return text + fmt::format("That was the last one. Check it: {} check {}\n", command_name(),
                              operator_name);
  return text + fmt::format("The next one: {} hint {}{}\n", command_name(), operator_name, next);
}

int hint(const std::string& name, const std::string& number) {
  if (const auto problem = find_operator(name); !problem) return fail(problem.error());
  const Result<std::string> text = show_hint(name, number);
  if (!text) return fail(text.error());
  fmt::print("{}", *text);
  return 0;
}

}  // namespace

std::string hint_text(const std::vector<std::string>& hints, std::size_t number) {
  return fmt::format("Hint {} of {}\n\n{}\n", number, hints.size(), prose(hints.at(number - 1), 2));
}

Result<std::string> show_hint(const std::string& operator_name, const std::string& number) {
  const Result<ExerciseText> exercise_text = read_exercise_text(operator_name);
  if (!exercise_text) return exercise_text.error();
  const std::vector<std::string>& hints = exercise_text->hints;

  Result<History> history = History::open();
  Help before;
  if (history) {
    const Result<Help> help = help_taken(*history, operator_name);
    if (help) before = *help;
  }
  int stage = before.hints + 1;
  if (!number.empty()) {
    const Result<int> wanted = stage_from(number, hints.size());
    if (!wanted) return wanted.error();
    stage = *wanted;
  } else if (stage > static_cast<int>(hints.size())) {
    return fmt::format("You have seen all {} hints. One of them again: {} hint {} 1\n",
                       hints.size(), command_name(), operator_name);
  }
  return taken(operator_name, hints, stage, before.hints, history ? &*history : nullptr);
}

void remember_solution_seen(const std::string& operator_name, const std::string& rung) {
  Result<History> history = History::open();
  if (!history) return;
  history->add(Event{.operator_name = operator_name, .kind = Event::Kind::solution, .detail = rung});
}

void add_hint(CLI::App& app, Session& session) {
  static std::string name, number;
  Command(app, "hint", "The next hint; what you solve with it is graded \"hard\"")
      .operand("operator", name, "Whose hints")
      .optional_operand("number", number, "One of them, again or ahead of its turn")
      .does([&session] { session.status = hint(name, number); });
}

}  // namespace kata::cli
