#include "grading/near_sizes.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>

namespace kata {
namespace {

void add(std::set<int>& sizes, std::int64_t from, std::int64_t to) {
  for (std::int64_t size = std::max<std::int64_t>(from, 1); size <= to; ++size)
    if (size <= std::numeric_limits<int>::max()) sizes.insert(static_cast<int>(size));
}

/// The sizes on both sides of each threshold that have the remainder.
void add_remainders(const SourceConstant& constant, std::set<int>& sizes) {
  std::set<int> found;
  for (int size : sizes) {
    const std::int64_t off =
        (constant.value - size % constant.modulus + constant.modulus) % constant.modulus;
    add(found, size + off, size + off);
    add(found, size + off - constant.modulus, size + off - constant.modulus);
  }
  sizes.merge(found);
}

/// Where one may hold elements and the other counts bytes.
void add_elements(std::int64_t bytes, std::set<int>& sizes) {
  for (int of_an_element : {2, 4, 8}) add(sizes, bytes / of_an_element, bytes / of_an_element + 1);
}

}  // namespace

std::set<SourceConstant> constants_in(const Candidate& candidate) {
  const Result<std::vector<SourceFile>> sources =
      read_sources({candidate.path}, {}, candidate.text);
  return sources ? constants_of(*sources) : std::set<SourceConstant>{};
}

std::vector<int> periods_of(const std::set<SourceConstant>& constants) {
  constexpr std::size_t few = 2;
  constexpr std::int64_t most = 1000, period_of_a_byte = 256;
  std::set<int, std::greater<>> periods;
  for (const SourceConstant& one : constants)
    if (one.modulus <= most && period_of_a_byte % std::max<std::int64_t>(one.modulus, 1) != 0)
      periods.insert(static_cast<int>(one.modulus));
  if (periods.size() > few) periods.erase(std::next(periods.begin(), few), periods.end());
  return {periods.begin(), periods.end()};
}

std::vector<NearSizes> sizes_near_constants(const Problem& problem,
                                            const std::set<SourceConstant>& constants) {
  using Use = SourceConstant::Use;
  const std::vector<Parameter>& integers = problem.signature.integers;
  const auto names = [](const SourceConstant& constant, const Parameter& integer) {
    return constant.names.contains(integer.name);
  };
  std::vector<NearSizes> sizes(integers.size());
  for (std::size_t i = 0; i < integers.size(); ++i) {
    const auto is_elsewhere = [&](const SourceConstant& constant) {
      return std::ranges::any_of(integers,
                                 [&](const Parameter& one) { return names(constant, one); });
    };
    for (const SourceConstant& one : constants) {
      if (one.use != Use::compared) continue;
      const bool named = names(one, integers[i]);
      if (!named && is_elsewhere(one)) continue;
      add(named ? sizes[i].thresholds : sizes[i].guesses, one.value - 1, one.value + 1);
      add_elements(one.value, sizes[i].elements);
    }
    for (const SourceConstant& one : constants) {
      if (one.use == Use::remainder && names(one, integers[i])) {
        sizes[i].thresholds.insert(1);
        add_remainders(one, sizes[i].thresholds);
      }
      if (one.use != Use::other) continue;
      add(sizes[i].others, one.value - 1, one.value + 1);
      for (const SourceConstant& two : constants) {
        std::int64_t product = 0;
        if (two.use != Use::other || two < one || one.value < 2) continue;
        if (!__builtin_mul_overflow(one.value, two.value, &product))
          add(sizes[i].products, product, product + 1);
      }
    }
    for (std::set<int>* const near : {&sizes[i].thresholds, &sizes[i].guesses})
      add_next_legal(problem, i, *near);
  }
  return sizes;
}

}  // namespace kata
