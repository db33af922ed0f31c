// compact: the x[i] > 0, in order, and how many they are
#include <limits>

#include "problems/spec/draw.h"
#include "problems/spec/problem.h"

namespace kata::problem::compact {

// `normal` has the values next to the condition: both zeros, which go, and the smallest subnormal,
// which stays; and infinities. `largest_last` keeps the last element alone.
void draw_x(Array& array, const Case& one_case, const Random& random) {
  using Limits = std::numeric_limits<float>;
  const bool last_alone = one_case.values == Values::largest_last;
  Case drawn = one_case;
  if (last_alone) drawn.values = Values::all_negative;
  draw::with_special({0.0f, Limits::infinity(), -0.0f, Limits::denorm_min(), -Limits::infinity()})(
      array, drawn, random);
  if (last_alone) array.set(array.size() - 1, 1);
}

Outputs reference(const Inputs& inputs, const Case&) {
  const std::span<const float> x = inputs[0].as<float>();
  Expected y{.value = {}};
  for (const float value : x) {
    if (value > 0) y.value.push_back(value);
  }
  const auto count = static_cast<std::int64_t>(y.value.size());
  y.value.resize(x.size());
  y.specified = count;
  return {y, {.value = {static_cast<double>(count)}}};
}

// Half of the elements are kept, as in the bench's inputs.
Cost cost(const Shape& shape) {
  const double n = shape[0];
  return {.bytes_read = 4 * n, .bytes_written = 2 * n + 4, .operations = n};
}

REGISTER_PROBLEM({
    .name = "compact",
    .summary = "the positive elements of a vector, without the others",
    .frequency = "medium",
    .difficulty = "hard",
    .selects = true,
    .signature = signature(input<float>("x", dims<0>, draw_x), output<float>("y", dims<0>),
                           output<int>("count", scalar), integer("n", 1, 1 << 28)),
    .cases = {{{1}, Values::positive},
              {{1}, Values::all_negative},
              {{33}, Values::largest_last},
              {{256}, Values::positive},
              {{257}, Values::all_negative},
              {{1025}},
              {{4098}, Values::few_distinct},
              {{9001}, Values::descending},  // the kept half comes first: a run longer than a tile
              {{10003}, Values::mostly_zero},
              {{20000}, Values::sorted},
              {{65537}}},  // beyond two levels of tiles of 256
    .large_cases = {{{262145}}, {{(1 << 20) + 1}}, {{(1 << 22) + 1}, Values::outliers}},
    .bench_shapes = {{1 << 26}, {1 << 24}, {1 << 20}, {(1 << 24) + 3}},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::compact
