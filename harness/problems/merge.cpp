// merge: two ascending arrays, A [M] and B [N], become one, C [M + N]
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "problems/spec/draw.h"
#include "problems/spec/problem.h"

namespace kata::problem::merge {

constexpr float largest = std::numeric_limits<float>::max();

Dims all_elements(const Shape& shape) {
  return {std::int64_t{shape[0]} + shape[1]};
}

// Unsigned numbers in the order of the floats. 0 and -0 are equal.
std::uint32_t order_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value == 0 ? 0.0f : value);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

// Ascending, and zeros keep their order: 33 million floats in a fraction of std::stable_sort's
// time.
void sort_ascending(std::span<float> x) {
  constexpr std::uint32_t digits = 1 << 11;
  std::vector<float> from(x.begin(), x.end()), to(x.size());
  for (int shift = 0; shift < 32; shift += 11) {
    std::array<std::size_t, digits + 1> place{};
    for (const float value : from) ++place[(order_of(value) >> shift) % digits + 1];
    for (std::uint32_t d = 0; d < digits; ++d) place[d + 1] += place[d];
    for (const float value : from) to[place[(order_of(value) >> shift) % digits]++] = value;
    from.swap(to);
  }
  std::ranges::copy(from, x.begin());
}

// Each array is sorted as it is drawn, except:
//   constant       A is all 0 and B all -0: only their bits show which array comes first
//   few_distinct   -1, -0, 0 and 1: long runs of equal elements, in both arrays
//   whole_numbers  even numbers in A, odd ones in B: they take turns
//   sorted         all of A comes before all of B
//   descending     all of B comes before all of A
//   lowest         the lowest and the largest float, which a kernel may want to pad with
void arrange(Inputs& inputs, const Case& one_case, const Random& random) {
  constexpr float few[] = {-1, -0.0f, 0, 1};
  for (std::size_t k = 0; k < 2; ++k) {
    const std::span<float> x = inputs[k].as<float>();
    const bool is_low = (one_case.values == Values::sorted) == (k == 0);
    const Random mine = random.stream(k);
    for (std::size_t i = 0; i < x.size(); ++i) {
      switch (one_case.values) {
        case Values::constant:
          x[i] = k == 0 ? 0.0f : -0.0f;
          break;
        case Values::few_distinct:
          x[i] = few[mine.below(i, 4)];
          break;
        case Values::whole_numbers:
          x[i] = 2 * static_cast<float>(i) + static_cast<float>(k) - 1000;
          break;
        case Values::sorted:
        case Values::descending:
          x[i] = is_low ? -std::abs(x[i]) - 1 : std::abs(x[i]) + 1;
          break;
        case Values::lowest:
          x[i] = mine.below(i, 2) == 0 ? -largest : largest;
          break;
        default:
          break;
      }
    }
    sort_ascending(x);
  }
}

// Elements are moved, not computed: exact, with the sign of zeros. Of equal elements those of A
// come first.
Outputs reference(const Inputs& inputs, const Case&) {
  const std::span<const float> a = inputs[0].as<float>(), b = inputs[1].as<float>();
  Expected c{.value = std::vector<double>(a.size() + b.size()), .keeps_sign_of_zero = true};
  std::ranges::merge(a, b, c.value.begin());
  return {c};
}

Outputs one_after_the_other(const Inputs& inputs, const Case&) {
  const std::span<const float> a = inputs[0].as<float>(), b = inputs[1].as<float>();
  Expected c{.value = {a.begin(), a.end()}, .keeps_sign_of_zero = true};
  c.value.insert(c.value.end(), b.begin(), b.end());
  return {c};
}

Outputs larger_first(const Inputs& inputs, const Case& one_case) {
  Outputs c = reference(inputs, one_case);
  std::ranges::reverse(c[0].value);
  return c;
}

const std::vector<Mistake> mistakes{
    {"if B followed A, without a comparison", one_after_the_other},
    {"in descending order", larger_first},
};

Cost cost(const Shape& shape) {
  const double elements = static_cast<double>(shape[0]) + shape[1];
  return {.bytes_read = 4 * elements, .bytes_written = 4 * elements, .operations = elements};
}

// Sizes: one array of one element, which goes to either end or into the middle; all elements one
// less than a tile, a tile, and one more; more than 65535; a short array beside a long one.
REGISTER_PROBLEM({
    .name = "merge",
    .summary = "two ascending vectors merged into one",
    .frequency = "high",
    .difficulty = "medium",
    .signature = signature(
        input<float>("A", dims<0>,
                     draw::with_special({0.0f, largest, -0.0f, 1e-45f, -largest, -1e-40f})),
        input<float>("B", dims<1>,
                     draw::with_special({-0.0f, -largest, 0.0f, 1e-40f, largest, -1e-45f})),
        output<float>("C", all_elements), integer("M", 1, 1 << 28), integer("N", 1, 1 << 28)),
    .cases = {{{1, 1}, Values::constant},
              {{1, 300}, Values::sorted},
              {{31, 226}},
              {{128, 128}, Values::whole_numbers},
              {{1, 1030}, Values::descending},
              {{600, 425}, Values::signed_zeros},
              {{7, 4088}, Values::lowest},
              {{4000, 96}, Values::sorted},
              {{1021, 3076}, Values::few_distinct},
              {{3001, 2500}, Values::constant},
              {{2500, 2400}, Values::subnormal},
              {{9001, 7}, Values::descending},
              {{66000, 1}},
              {{40009, 30011}}},
    .large_cases = {{{(1 << 20) + 1, 7}},
                    {{3, (1 << 20) + 1}, Values::descending},
                    {{(1 << 20) + 1, (1 << 20) + 3}, Values::few_distinct},
                    {{(1 << 21) + 1, (1 << 20) - 1}},
                    {{1 << 20, 1 << 20}, Values::sorted}},
    .bench_shapes =
        {{1 << 25, 1 << 25}, {1 << 23, 1 << 23}, {1 << 19, 1 << 19}, {(1 << 25) + 3, 1001}},
    .drawn_values = {Values::normal, Values::few_distinct, Values::sorted},
    .arrange = arrange,
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::merge
