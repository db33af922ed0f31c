#include "practice/order.h"

#include <algorithm>

#include "practice/state.h"

namespace kata {
namespace {

int place(const std::vector<std::string>& order, const std::string& word) {
  return static_cast<int>(std::find(order.begin(), order.end(), word) - order.begin());
}

}  // namespace

std::vector<const Problem*> learning_order() {
  std::vector<const Problem*> order;
  for (const Problem& problem : problems()) order.push_back(&problem);
  const auto rank = [](const Problem* problem) {
    return std::pair(place({"easy", "medium", "hard"}, problem->difficulty),
                     place({"very high", "high", "medium", "low"}, problem->frequency));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const Problem* a, const Problem* b) { return rank(a) < rank(b); });
  return order;
}

const Problem* next_unsolved(const Result<History>& history, const std::string& after) {
  std::vector<const Problem*> order = learning_order();
  const auto current = std::find_if(order.begin(), order.end(),
                                    [&](const Problem* one) { return one->name == after; });
  if (current != order.end()) std::rotate(order.begin(), current + 1, order.end());
  const auto found = std::find_if(order.begin(), order.end(), [&](const Problem* one) {
    return state_of(one->name, history) != State::passes;
  });
  return found == order.end() ? nullptr : *found;
}

}  // namespace kata
