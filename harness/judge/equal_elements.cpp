// Equal elements where there are many: what counts them, or keeps a place for each, has to hold all
// at once.

#include <algorithm>

#include "judge/judge.h"
#include "judge/large_cases.h"
#include "judge/shapes.h"

namespace kata {
namespace {

/// Whether the outputs are exact, as counts and selections are: no sum of equal terms is rounded.
bool is_exact(const Problem& problem) {
  const Case& one = problem.cases.back();
  const Outputs outputs = expected_outputs(problem, make_inputs(problem, one, 1), one);
  return std::ranges::all_of(outputs, [](const Expected& output) {
    return std::ranges::all_of(output.tolerance, [](double by) { return by == 0; });
  });
}

}  // namespace

std::vector<Case> cases_of_equal_elements(const Problem& problem) {
  constexpr double most_price = 2e7;
  const auto is_constant = [](const Case& one) { return one.values == Values::constant; };
  if (std::ranges::none_of(problem.cases, is_constant) &&
      std::ranges::none_of(problem.large_cases, is_constant))
    return {};
  if (!is_exact(problem)) return {};
  const std::vector<Parameter>& sizes = problem.signature.integers;
  std::vector<Case> cases;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const int most = i == j ? sizes[i].most : beyond_16_bits;
      Shape shape = small_shape(problem, i + j);
      shape = largest_within(problem, most_price, most, [&](int size) {
        shape[i] = shape[j] = size;
        return shape;
      });
      if (price(problem, shape) <= most_price) cases.push_back({shape, Values::constant});
    }
  }
  return cases;
}

}  // namespace kata
