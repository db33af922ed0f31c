// Patterns of a result that should be sorted.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "judge/patterns.h"

namespace kata::patterns {
namespace {

std::vector<double> values_of(const Array& x) {
  std::vector<double> values(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) values[i] = x[i];
  return values;
}

std::vector<double> sorted(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

/// Whether the right output is an input in ascending order, and that input was in no order.
bool is_sort(const Wrong& wrong) {
  const std::vector<double>& right = wrong.expected.value;
  if (right.size() < 3 || !std::is_sorted(right.begin(), right.end())) return false;
  return std::any_of(wrong.inputs.begin(), wrong.inputs.end(), [&](const Array& x) {
    const std::vector<double> values = values_of(x);
    return values.size() == right.size() && !std::is_sorted(values.begin(), values.end()) &&
           !std::is_sorted(values.rbegin(), values.rend()) && sorted(values) == right;
  });
}

/// A value that occurs more or less often than it should.
std::string not_a_permutation(const Wrong& wrong, const std::vector<double>& all) {
  const std::vector<double>& right = wrong.expected.value;
  const auto [mine, other] = std::mismatch(all.begin(), all.end(), right.begin());
  const double value = std::min(*mine, *other);
  const auto times_in = [&](const std::vector<double>& values) {
    const auto [first, last] = std::equal_range(values.begin(), values.end(), value);
    return last - first;
  };
  return fmt::format(
      "{} does not hold the input's elements: {} occurs {} times and should occur {} times (is a "
      "position written twice?)",
      wrong.tensor.name, number(value), times_in(all), times_in(right));
}

/// Whether each stretch of that many elements is ascending.
bool sorted_in_blocks(const std::vector<double>& values, std::size_t width) {
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (i % width != 0 && values[i - 1] > values[i]) return false;
  }
  return true;
}

/// Whether the elements ascend by what `key` makes of their bits.
template <class Key>
bool sorted_by(const std::vector<double>& values, Key key) {
  return std::is_sorted(values.begin(), values.end(), [&](double a, double b) {
    return key(static_cast<std::uint32_t>(a)) < key(static_cast<std::uint32_t>(b));
  });
}

/// An order that is not the wanted one, or empty.
std::string other_order(const Wrong& wrong, const std::vector<double>& values) {
  if (std::is_sorted(values.rbegin(), values.rend())) return "descending, not ascending";
  if (wrong.tensor.type == Type::u32) {
    if (sorted_by(values, [](std::uint32_t bits) { return static_cast<std::int32_t>(bits); })) {
      return "sorted as signed numbers: those with the highest bit come first";
    }
    for (const unsigned bits : {31, 30, 28, 24, 20, 16, 12, 8, 4}) {
      const auto low = [bits](std::uint32_t key) { return key & ((1u << bits) - 1); };
      if (sorted_by(values, low)) {
        return fmt::format("sorted by the lowest {} bits alone (is a pass missing?)", bits);
      }
    }
  }
  for (std::size_t width = std::bit_floor(values.size() - 1); width >= 32; width /= 2) {
    if (sorted_in_blocks(values, width)) {
      return fmt::format("sorted within each block of {}, but not across blocks", width);
    }
  }
  return {};
}

}  // namespace

Sentence unsorted(const Wrong& wrong) {
  if (!is_sort(wrong)) return {};
  const std::vector<double> values = values_of(wrong.got);
  const std::vector<double> all = sorted(values);
  if (all != wrong.expected.value) return not_a_permutation(wrong, all);
  if (const std::string order = other_order(wrong, values); !order.empty()) {
    return fmt::format("{} is {}: {}", wrong.tensor.name, order, example(wrong, wrong.bad.front()));
  }
  const auto at = std::is_sorted_until(values.begin(), values.end()) - values.begin();
  return fmt::format(
      "{0} holds the right values, but not in order: {0}[{1}] = {2} is followed by {3}",
      wrong.tensor.name, at - 1, number(values[static_cast<std::size_t>(at) - 1]),
      number(values[static_cast<std::size_t>(at)]));
}

}  // namespace kata::patterns
