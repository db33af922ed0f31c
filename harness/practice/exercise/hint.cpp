#include "practice/exercise/hint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "grading/ladder.h"
#include "practice/exercise/exercise_text.h"

namespace kata {
namespace {

/// What `kata hint relu 2` asks for, of the first `most` of `all`.
Result<int> stage_from(const std::string& number, int most, int all) {
  for (int stage = 1; stage <= all; ++stage) {
    if (number != std::to_string(stage)) continue;
    if (stage <= most) return stage;
    return Error{
        fmt::format("hints come one after the other: hint {} of {} is the next", most, all)};
  }
  return Error{fmt::format("there is no hint {}: this exercise has {}", number, all)};
}

/// The highest number shown since the exercise was last reset.
int hints_seen(const History& history, const std::string& operator_name) {
  const auto shown_so_far = history.events(operator_name, Time{});
  int seen = 0;
  for (const Event& event : shown_so_far ? *shown_so_far : std::vector<Event>()) {
    int number = 0;
    if (event.kind == Event::Kind::reset) seen = 0;
    if (event.kind == Event::Kind::hint)
      std::from_chars(event.detail.data(), event.detail.data() + event.detail.size(), number);
    seen = std::max(seen, number);
  }
  return seen;
}

}  // namespace

std::optional<NextIdea> idea_after_pass(const std::string& operator_name,
                                        const Result<History>& history) {
  const auto attempts = history ? history->outcomes(operator_name)
                                : Result<std::vector<AttemptOutcome>>(history.error());
  if (!attempts || attempts->empty() || attempts->back().verdict != Verdict::pass) return {};
  // Checks of `watch` and --no-ladder have no level.
  for (auto one = attempts->rbegin(); one != attempts->rend(); ++one)
    if (one->verdict == Verdict::pass && one->rung > 0) return NextIdea{true, one->next_idea};
  return NextIdea{};
}

Result<Hint> take_hint(const std::string& operator_name, const std::string& number,
                       Result<History> history) {
  const Result<ExerciseText> exercise_text = read_exercise_text(operator_name);
  if (!exercise_text) return exercise_text.error();
  const int seen = history ? hints_seen(*history, operator_name) : 0;
  const int all = static_cast<int>(exercise_text->hints.size());
  const int next = std::min(seen + 1, all);
  const int most = history ? next : all;  // without a memory any may be next
  const Result<int> stage = number.empty() ? Result<int>(next) : stage_from(number, most, all);
  if (!stage) return stage.error();
  const Event event{
      .operator_name = operator_name, .kind = Event::Kind::hint, .detail = std::to_string(*stage)};
  return Hint{.text = exercise_text->hints.at(static_cast<std::size_t>(*stage) - 1),
              .number = *stage,
              .all = all,
              .counts = *stage > seen && history && !history->add(event)};
}

}  // namespace kata
