#pragma once
// What to do now: `kata`, its commands plan, review and watch, and the page all name this.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "practice/plan/plan.h"
#include "practice/state.h"

namespace kata {

/// Of every operator's file, in the order of learning.
using States = std::vector<std::pair<const Problem*, State>>;
States states_of(const Result<History>& history);

struct NextExercise {
  enum class Why {
    planned,  ///< the first of today's plan that is not done
    begun,    ///< written in: not checked since then, or it does not pass
    due,      ///< for review
    fresh,    ///< the first that was never solved
    ahead,    ///< nothing is due and nothing is new: what is due soonest
  };
  const Problem* problem = nullptr;  ///< null: there is none besides those that are left out
  Why why = Why::fresh;
  State state = State::not_started;
  std::string reason = {};  ///< one sentence without its full stop: why this, why now
};

struct NextStep {
  std::optional<Plan> plan = {};  ///< where there is one
  /// Beside the plan: written in or failing, but not part of today.
  std::vector<const Problem*> also_begun = {};
  NextExercise exercise = {};

  /// The first of the plan that is not done; null if there is none. It may be the quiz or drills.
  const PlanItem* planned() const;
};

/// What the plan has next; without a plan, or when today's part is done: what was begun, then what
/// is due, then what is new. `left_out`: operators that are not to be named. An Error if the
/// history cannot be read; without one only the files are looked at. `known`: states_of() now, if
/// the caller has them.
Result<NextStep> next_step(const std::optional<PlanRequest>& plan, const Result<History>& history,
                           Time now, const std::vector<std::string>& left_out = {},
                           const States* known = nullptr);

}  // namespace kata
