#include "practice/next.h"

#include <algorithm>

#include "practice/review.h"
#include "practice/state.h"

namespace kata {

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
