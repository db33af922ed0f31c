// topk: the k largest elements, descending
#include <algorithm>
#include <functional>
#include <limits>

#include "problems/spec/draw.h"
#include "problems/spec/problem.h"

namespace kata::problem::topk {

// `normal` has infinities, both zeros, which are equal, and subnormal numbers of either sign. In
// `lowest` every second element is -infinity: what a kernel pads with may not be above it.
void draw_x(Array& array, const Case& one_case, const Random& random) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  draw::with_special({0.0f, infinity, -0.0f, 1e-40f, -infinity, -1e-40f})(array, one_case, random);
  if (one_case.values != Values::lowest) return;
  for (std::size_t i = 1; i < array.size(); i += 2) array.set(i, -infinity);
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const float> x = inputs[0].as<float>();
  std::vector<double> values(x.begin(), x.end());
  const auto end = values.begin() + one_case.shape[1];
  std::partial_sort(values.begin(), end, values.end(), std::greater<>());
  return {{.value = {values.begin(), end}}};
}

Cost cost(const Shape& shape) {
  const double n = shape[0], k = shape[1];
  return {.bytes_read = 4 * n, .bytes_written = 4 * k, .operations = n};
}

REGISTER_PROBLEM({
    .name = "topk",
    .summary = "the k largest elements of a vector",
    .frequency = "high",
    .difficulty = "hard",
    .selects = true,
    .signature = signature(input<float>("x", dims<0>, draw_x), output<float>("y", dims<1>),
                           integer("n", 1, 1 << 28), integer("k", 1, 65536)),
    .limits = {"k <= n",
               [](Shape shape) -> Shape {
                 return {std::max(shape[0], 1), std::clamp(shape[1], 1, std::max(shape[0], 1))};
               }},
    .cases = {{{1, 1}},
              {{33, 33}},
              {{257, 1}, Values::largest_last},
              {{300, 31}, Values::far_below_zero},
              {{513, 513}},
              {{1025, 1023}, Values::all_negative},
              {{2000, 32}, Values::constant},
              {{1500, 500}, Values::few_distinct},  // larger ones, and more ties than places
              {{700, 400}, Values::lowest},
              {{4098, 33}, Values::sorted},
              {{2500, 100}, Values::large_mean},  // the keys agree in their leading bits
              {{5000, 60}, Values::mostly_zero},
              {{9000, 8}, Values::skewed}},
    .large_cases = {{{(1 << 20) + 1, 2048}},
                    {{(1 << 22) + 1, 100}, Values::sorted},
                    {{(1 << 22) + 3, 3073}, Values::large_mean},
                    {{1 << 16, 1 << 16}},
                    {{5000, 4500}, Values::outliers}},
    .bench_shapes = {{1 << 26, 100},
                     {1 << 26, 8},
                     {1 << 26, 2048},
                     {1 << 24, 100},
                     {1 << 24, 2048},
                     {1 << 20, 100},
                     {1 << 20, 2048}},
    .drawn_values = {Values::normal, Values::few_distinct, Values::all_negative},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::topk
