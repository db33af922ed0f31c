#include "practice/plan/next.h"

#include <algorithm>
#include <array>

#include "practice/review.h"

namespace kata {
namespace {

using Why = NextExercise::Why;

bool holds(const std::vector<std::string>& names, const Problem* problem) {
  return std::ranges::find(names, problem->name) != names.end();
}

std::string reason_of(State state) {
  const bool unchecked = state == State::changed || state == State::untested;
  return unchecked ? "you have written in it and not checked it yet"
                   : "you have begun it, and it " + to_string(state);
}

constexpr std::array begun_states = {State::changed, State::untested, State::fails,
                                     State::does_not_compile};

std::vector<const Problem*> begun_beside(const Plan& plan, const States& states) {
  std::vector<const Problem*> begun;
  for (const auto& [problem, state] : states) {
    if (std::ranges::find(begun_states, state) != begun_states.end() &&
        std::ranges::find(plan.today, problem, &PlanItem::problem) == plan.today.end())
      begun.push_back(problem);
  }
  return begun;
}

/// What was begun, else the first that is not even started; ahead of all if every one passes.
NextExercise by_files(States states, const std::vector<std::string>& left_out) {
  std::erase_if(states, [&](const auto& one) { return holds(left_out, one.first); });
  const auto first_in = [&](State state) {
    return std::ranges::find(states, state, [](const auto& one) { return one.second; });
  };
  for (const State state : begun_states) {
    if (const auto found = first_in(state); found != states.end())
      return {found->first, Why::begun, state, reason_of(state)};
  }
  for (const State state : {State::not_started, State::absent}) {
    if (const auto found = first_in(state); found != states.end())
      return {found->first, Why::fresh, state, "you have not solved it yet"};
  }
  return {.why = Why::ahead};
}

Result<NextExercise> without_plan(const Result<History>& history, Time now,
                                  const std::vector<std::string>& left_out, const States& states) {
  const NextExercise by_file = by_files(states, left_out);
  if (!history || by_file.why == Why::begun) return by_file;
  const Result<NextReview> review = next_review(*history, now, left_out);
  if (!review) return review.error();
  if (!review->problem) return by_file;
  const Why why = review->due ? Why::due : review->standing ? Why::ahead : Why::fresh;
  const auto state = std::ranges::find(states, review->problem, &States::value_type::first);
  return NextExercise{review->problem, why, state->second, review->reason};
}

}  // namespace

States states_of(const Result<History>& history) {
  States states;
  for (const Problem* problem : learning_order())
    states.emplace_back(problem, state_of(problem->name, history));
  return states;
}

const PlanItem* NextStep::planned() const {
  if (!plan) return nullptr;
  const auto found = std::ranges::find(plan->today, false, &PlanItem::done);
  return found == plan->today.end() ? nullptr : &*found;
}

Result<NextStep> next_step(const std::optional<PlanRequest>& plan, const Result<History>& history,
                           Time now, const std::vector<std::string>& left_out,
                           const States* known) {
  NextStep step;
  const States states = known ? *known : states_of(history);
  if (plan && history) {
    auto made = plan_for(*plan, *history, now);
    if (!made) return made.error();
    step.plan = std::move(*made);
    step.also_begun = begun_beside(*step.plan, states);
    for (const PlanItem& item : step.plan->today) {
      if (item.done || !item.problem || holds(left_out, item.problem)) continue;
      step.exercise = {item.problem, Why::planned, state_of(item.problem->name, history),
                       "it is in today's plan (" + item.reason + ")"};
      return step;
    }
  }
  auto exercise = without_plan(history, now, left_out, states);
  if (!exercise) return exercise.error();
  step.exercise = std::move(*exercise);
  return step;
}

}  // namespace kata
