// Sizes that a key takes for others: what a candidate keeps from call to call has to be kept by all
// that it depends on.

#include <utility>

#include "judge/large_cases.h"
#include "judge/shapes.h"

namespace kata {
namespace {

/// Where the operator has the sizes of both as they are, and neither costs much.
void add_pair(const Problem& problem, const Shape& first, const Shape& second,
              std::vector<Case>& cases) {
  constexpr double most = 1e6;
  for (const Shape& shape : {first, second})
    if (legal(problem, shape) != shape || !is_promised(problem, shape) ||
        price(problem, shape) > most)
      return;
  cases.push_back({first});
  cases.push_back({second});
}

}  // namespace

std::vector<Case> cases_of_like_sizes(const Problem& problem) {
  const std::vector<Parameter>& integers = problem.signature.integers;
  Shape small;
  for (const Parameter& size : integers) small.push_back(is_window(size) ? 2 : 5);
  small = legal(problem, std::move(small));
  const Shape least = legal(problem, Shape(integers.size(), 1));
  std::vector<Case> cases;
  for (std::size_t i = 0; i < integers.size(); ++i) {
    for (std::size_t j = 0; j < integers.size(); ++j) {
      if (i == j) continue;
      // The same product and the same sum, as of an image and of one that lies on its side.
      Shape upright = small, lying = small;
      const bool is_small = is_window(integers[i]) || is_window(integers[j]);
      upright[i] = lying[j] = is_small ? 2 : 12;
      upright[j] = lying[i] = is_small ? 3 : 20;
      if (i < j) add_pair(problem, upright, lying, cases);
      // Two numbers in one word: the largest of one is beyond its bits, and is a bit of the other.
      Shape even = least, odd = least;
      even[i] = odd[i] = integers[i].most;
      even[j] = 6;
      odd[j] = 7;
      add_pair(problem, even, odd, cases);
    }
  }
  return cases;
}

}  // namespace kata
