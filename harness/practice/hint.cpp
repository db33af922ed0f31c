#include "practice/hint.h"

#include <fmt/format.h>

#include <algorithm>

#include "practice/exercise_text.h"
#include "practice/review.h"

namespace kata {
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

}  // namespace

Result<Hint> take_hint(const std::string& operator_name, const std::string& number,
                       Result<History> history) {
  const Result<ExerciseText> exercise_text = read_exercise_text(operator_name);
  if (!exercise_text) return exercise_text.error();
  const int taken = history ? help_taken(*history, operator_name, now()).hints : 0;
  const int all = static_cast<int>(exercise_text->hints.size());
  const int next = std::min(taken + 1, all);
  const int most = history ? next : all;  // without a memory any may be next
  const Result<int> stage = number.empty() ? Result<int>(next) : stage_from(number, most);
  if (!stage) return stage.error();
  const Event event{
      .operator_name = operator_name, .kind = Event::Kind::hint, .detail = std::to_string(*stage)};
  return Hint{.text = exercise_text->hints.at(static_cast<std::size_t>(*stage) - 1),
              .number = *stage,
              .all = all,
              .counts = *stage > taken && history && !history->add(event)};
}

}  // namespace kata
