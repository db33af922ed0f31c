// kata hint: the next of an exercise's staged hints.
#include "cli/learn/hint.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/open_history.h"
#include "cli/terminal/prose.h"
#include "practice/exercise_text.h"
#include "practice/history.h"
#include "practice/review.h"
#include "support/paths.h"

namespace kata::cli {
namespace {

/// What `kata hint relu 2` asks for, of the first `most`.
Result<int> stage_from(const std::string& number, int most) {
  for (int stage = 1; stage <= most; ++stage) {
    if (number == std::to_string(stage)) return stage;
  }
  return Error{
      most == 1 ? fmt::format("hints come one after the other: hint {} is the first", most)
                : fmt::format("there is no hint {} to show yet: there are 1 to {}", number, most)};
}

int hint(const std::string& name, const std::string& number) {
  if (const auto problem = find_operator(name); !problem) return fail(problem.error());
  const Result<ShownHint> shown = show_hint(name, number);
  if (!shown) return fail(shown.error());
  fmt::print("{}", shown->text);
  if (shown->last) {
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

std::string hint_text(const std::vector<std::string>& hints, std::size_t number) {
  return fmt::format("Hint {} of {}\n\n{}\n", number, hints.size(), prose(hints.at(number - 1), 2));
}

Result<ShownHint> show_hint(const std::string& operator_name, const std::string& number) {
  const Result<ExerciseText> exercise_text = read_exercise_text(operator_name);
  if (!exercise_text) return exercise_text.error();
  const std::vector<std::string>& hints = exercise_text->hints;

  Result<History> history = open_history();
  const int taken = history ? help_taken(*history, operator_name, now()).hints : 0;
  const int all = static_cast<int>(hints.size());
  const int next = std::min(taken + 1, all);
  const int most = history ? next : all;  // without a memory any may be next
  const Result<int> stage = number.empty() ? Result<int>(next) : stage_from(number, most);
  if (!stage) return stage.error();
  ShownHint shown{.text = hint_text(hints, static_cast<std::size_t>(*stage)),
                  .number = *stage,
                  .last = *stage == all};
  const Event event{
      .operator_name = operator_name, .kind = Event::Kind::hint, .detail = std::to_string(*stage)};
  const bool kept = *stage > taken && history && !history->add(event);
  if (kept) shown.text += "It counts: what you solve with it is graded \"hard\".\n";
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
  Command(app, "hint", "Show the next hint; the grade is then \"hard\"")
      .operand("operator", name, "Whose hints")
      .optional_operand("number", number, "A hint that you have seen, again")
      .does([&session] { session.status = hint(name, number); });
}

}  // namespace kata::cli
