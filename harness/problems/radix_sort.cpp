// radix_sort: the keys in ascending order
#include <algorithm>

#include "problems/spec/draw.h"
#include "problems/spec/problem.h"

namespace kata::problem::radix_sort {

// Keys from the whole range, except:
//   skewed         only the byte from bit 16 on differs: three of four passes move nothing
//   few_distinct   0, 1, 2^31 and 2^32 - 1: the lowest bit, the highest bit, and what many kernels
//                  pad with
//   whole_numbers  0 to 999: the upper digits are all 0
void draw_keys(Array& array, const Case& one_case, const Random& random) {
  constexpr unsigned extremes[] = {0u, 1u, 0x80000000u, 0xffffffffu};
  const std::span<unsigned> keys = array.as<unsigned>();
  switch (one_case.values) {
    case Values::skewed:
      for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i] = 0xab00cd12u | static_cast<unsigned>(random.below(i, 256)) << 16;
      }
      return;
    case Values::few_distinct:
      for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = extremes[random.below(i, 4)];
      return;
    case Values::whole_numbers:
      for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i] = static_cast<unsigned>(random.below(i, 1000));
      }
      return;
    default:
      draw::as_the_case_says()(array, one_case, random);
  }
}

Outputs reference(const Inputs& inputs, const Case&) {
  const std::span<const unsigned> keys = inputs[0].as<unsigned>();
  Expected out{.value = {keys.begin(), keys.end()}};
  std::sort(out.value.begin(), out.value.end());
  return {out};
}

// Each key is read and written once: no sort does so little, but none can do less.
Cost cost(const Shape& shape) {
  const double n = shape[0];
  return {.bytes_read = 4 * n, .bytes_written = 4 * n, .operations = n};
}

REGISTER_PROBLEM({
    .name = "radix_sort",
    .summary = "the keys in ascending order",
    .frequency = "medium",
    .difficulty = "hard",
    .signature = signature(input<unsigned>("in", dims<0>, draw_keys),
                           output<unsigned>("out", dims<0>), integer("n", 1, 1 << 28)),
    .cases = {{{1}},
              {{2}, Values::descending},
              {{33}, Values::few_distinct},
              {{256}, Values::uniform},
              {{257}, Values::sorted},
              {{1025}, Values::descending},
              {{600}, Values::constant},
              {{5000}, Values::lowest},  // all 0: a sort that skips digits may copy nothing
              {{900}, Values::alike_ends},
              {{1500}, Values::skewed},
              {{1100}, Values::whole_numbers},
              {{17000}, Values::uniform}},        // three tiles of 8192
    .large_cases = {{{262145}, Values::uniform},  // more than 1024 tiles of 256
                    {{(1 << 20) + 1}, Values::uniform},
                    {{(1 << 20) - 1}, Values::few_distinct},
                    {{(1 << 22) + 1}, Values::sorted}},
    .bench_shapes = {{1 << 26}, {1 << 24}, {1 << 20}, {(1 << 24) + 3}},
    .drawn_values = {Values::uniform, Values::few_distinct, Values::skewed},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::radix_sort
