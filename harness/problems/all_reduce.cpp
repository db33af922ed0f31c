// all_reduce: y[g] = x[0] + ... + x[gpus - 1] on each of several devices
#include <algorithm>
#include <cmath>

#include "problems/spec/problem.h"

namespace kata::problem::all_reduce {

// One term per device, so the worst case of any order of additions is close enough: a device that
// is left out always shows.
Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::size_t n = static_cast<std::size_t>(one_case.shape[0]),
                    gpus = static_cast<std::size_t>(one_case.shape[1]);
  const double additions = static_cast<double>(gpus) - 1, u = std::ldexp(1.0, -24);
  const std::span<const float> x = inputs[0].as<float>();
  Expected y{.value = std::vector<double>(gpus * n), .tolerance = std::vector<double>(gpus * n)};
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0, sum_of_sizes = 0;
    for (std::size_t g = 0; g < gpus; ++g) {
      sum += x[g * n + i];
      sum_of_sizes += std::abs(x[g * n + i]);
    }
    for (std::size_t g = 0; g < gpus; ++g) {
      y.value[g * n + i] = sum;
      y.tolerance[g * n + i] = additions * u / (1 - additions * u) * sum_of_sizes;
    }
  }
  return {y};
}

Cost cost(const Shape& shape) {
  const double n = shape[0], gpus = shape[1];
  return {.bytes_read = 4 * n * gpus,
          .bytes_written = 4 * n * gpus,
          .operations = n * (gpus - 1),
          .link_bytes = 2 * 4 * n * (gpus - 1) / gpus};  // each sum is made once, and then sent
}

/// 1, 2, 4 or 8 devices.
Shape nearest(Shape shape) {
  return {std::max(shape[0], 1), nearest_devices(shape[1])};
}

/// Flags, slots for small sizes, and twice the input.
std::size_t scratch_bytes(const Shape& shape) {
  return zeroed_scratch + (16 << 20) + 8 * static_cast<std::size_t>(shape[0]);
}

REGISTER_PROBLEM({
    .name = "all_reduce",
    .summary = "the sum of one vector per GPU, on every GPU",
    .frequency = "high",
    .difficulty = "hard",
    .signature = signature(on_each_device(input<float>("x", dims<1, 0>)),
                           replicated(output<float>("y", dims<1, 0>)),
                           scratch("scratch", scratch_bytes), integer("n", 1, 1 << 26),
                           devices("gpus"), streams("streams")),
    .limits = {"gpus is 1, 2, 4 or 8", nearest},
    .cases = {{{1, 2}},
              {{1, 1}},
              {{3, 4}},
              {{7, 2}, Values::outliers},
              {{9, 2}, Values::whole_numbers},
              {{15, 4}, Values::outliers},
              {{17, 4}},
              {{33, 8}},
              {{1000, 1}},
              {{1000, 4}, Values::outliers},
              {{4099, 8}, Values::outliers},
              {{16384, 2}},
              {{16385, 4}, Values::signed_zeros},
              {{100003, 2}, Values::whole_numbers}},
    .large_cases = {{{(1 << 20) + 1, 4}, Values::outliers}},
    .bench_shapes = {{1 << 26, 2}, {1 << 26, 4}, {1 << 14, 2}, {1 << 14, 4}},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::all_reduce
