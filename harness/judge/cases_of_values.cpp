// Which values go with which sizes.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "judge/judge.h"
#include "judge/large_cases.h"
#include "judge/shapes.h"

namespace kata {
namespace {

bool is_general(Values values) {
  return std::ranges::find(general_values, values) != std::end(general_values);
}

/// Whether a call is cheap enough, and right with these inputs and those of a second call.
bool may_be_called(const Problem& problem, const Case& one, std::uint64_t seed, double most) {
  if (price(problem, one.shape) > most) return false;
  return is_general(one.values) ||
         (fits_outputs(problem, one, seed) && fits_outputs(problem, one, ~seed));
}

/// A case in which one size is so long. The others are small, or as small as may be where that is
/// too much; nothing if that is, too.
std::optional<Case> long_case(const Problem& problem, std::size_t i, int size, Values values,
                              Shape others, std::uint64_t seed, double most) {
  for (Shape shape : {std::move(others), Shape(problem.signature.integers.size(), 1)}) {
    const std::size_t with = grows_with(problem, i, shape);
    shape[i] = shape[with] = size;
    const Case one{legal(problem, shape), values};
    if (one.shape[i] == size && may_be_called(problem, one, seed, most)) return one;
  }
  return {};
}

}  // namespace

bool fits_outputs(const Problem& problem, const Case& one, std::uint64_t seed) {
  constexpr double other_scalars = 8;
  const Outputs outputs = expected_outputs(problem, make_inputs(problem, one, seed), one);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const Type type = problem.signature.outputs[o].type;
    const double most = is_float(type) ? largest_finite(type) / other_scalars : 0x1p31;
    for (const double value : outputs[o].value)
      if (!(std::fabs(value) <= most)) return false;
  }
  return true;
}

std::vector<Values> distributions(const Problem& problem) {
  std::vector<Values> values;
  for (const Case& one : problem.cases)
    if (std::ranges::find(values, one.values) == values.end()) values.push_back(one.values);
  // Where equal elements matter, all of the largest may be one lane's, or all but a lane's.
  if (problem.selects && is_float(problem.signature.inputs.front().type) &&
      std::ranges::find(values, Values::few_distinct) != values.end())
    values.insert(values.end(), {Values::strided, Values::gaps, Values::largest_twice});
  return values;
}

std::vector<Values> all_values(const Problem& problem) {
  std::vector<Case> by_work = problem.cases;
  std::ranges::sort(by_work, {}, [&](const Case& one) { return work(problem, one); });
  Case usual = by_work[by_work.size() / 2];
  std::vector<Values> values;
  for (const Values one : general_values) {
    usual.values = one;  // no larger than normal ones, but 0 may not be allowed
    if (fits_outputs(problem, usual, 1)) values.push_back(one);
  }
  std::ranges::copy(distributions(problem), std::back_inserter(values));
  return values;
}

std::vector<Case> short_cases_of(const std::vector<Values>& values, const Problem& problem,
                                 std::uint64_t seed) {
  constexpr std::uint64_t most_bits = 9, of_each = 12;
  const Random random = Random(seed).stream(of_each);
  std::vector<Case> cases;
  std::uint64_t drawn = 0;
  for (std::size_t i = 0; i < of_each * values.size(); ++i) {
    Shape shape(problem.signature.integers.size());
    for (int& size : shape) {
      const std::uint64_t bits = random.below(drawn++, most_bits);
      size = 1 + static_cast<int>(random.below(drawn++, std::uint64_t{2} << bits));
    }
    const Case one{legal(problem, shape), values[i % values.size()]};
    if (may_be_called(problem, one, seed, most_of_a_call)) cases.push_back(one);
  }
  return cases;
}

Case wide_case(const Problem& problem, Values values) {
  constexpr double most = 2e7;
  constexpr int most_of_a_size = 4096;
  const std::size_t sizes = problem.signature.integers.size();
  return {
      largest_within(problem, most, most_of_a_size, [&](int size) { return Shape(sizes, size); }),
      values};
}

std::vector<Case> long_cases_of(const std::vector<Values>& values, const Problem& problem,
                                std::uint64_t seed, const std::vector<int>& lengths,
                                double most_of_each) {
  std::vector<Case> cases;
  for (const Values kind : values) {
    for (std::size_t i = 0; i < problem.signature.integers.size(); ++i) {
      for (const int size : lengths) {
        const auto one = long_case(problem, i, size, kind, small_shape(problem, cases.size()), seed,
                                   most_of_each);
        if (one) cases.push_back(*one);
      }
    }
  }
  return cases;
}

}  // namespace kata
