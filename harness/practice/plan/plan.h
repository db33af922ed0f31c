#pragma once
// What to do today, so that most of what interviewers ask is known on the day of the interview.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "practice/drill/cards.h"
#include "practice/history.h"
#include "problems/spec/problem.h"
#include "support/result.h"

namespace kata {

struct PlanRequest {
  int until = 0;    ///< day_of() the interview
  int minutes = 0;  ///< a day
  std::vector<const Problem*> problems;
  std::vector<Topic> topics;  ///< of the quiz
};

/// From the settings of that name; nothing if no plan was made, or if its day has passed.
Result<std::optional<PlanRequest>> plan_request(const std::string& until, const std::string& track,
                                                std::uint64_t minutes, Time now);

/// One thing to do today.
struct PlanItem {
  const Problem* problem = nullptr;  ///< null: cards of the quiz, or drills
  int cards = 0, drills = 0;         ///< how many of them
  int minutes = 0;
  bool again = false;  ///< it was solved before
  std::string reason;  ///< a few words: why today
  bool done = false;   ///< today already
};

/// "softmax", "quiz" or "drill": also the command's name for the latter.
std::string name_of(const PlanItem& item);

struct Plan {
  std::vector<PlanItem> today;
  int unsolved = 0;          ///< exercises that never passed
  int unsolved_minutes = 0;  ///< that they take
  int days = 0;              ///< that are left, with today
};

/// The same all day: the list is made from the history before today, and what was done since then
/// is marked; but what was begun today comes first, too. First what was begun and fails, then what
/// is due (asked often and weakly remembered first), then due cards and drills, then new exercises,
/// those asked most first, and a new drill; as much as fits into the minutes, and at least one.
Result<Plan> plan_for(const PlanRequest& request, const History& history, Time now);

}  // namespace kata
