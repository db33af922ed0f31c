// histogram: counts[b] = how many x[i] equal b
#include <algorithm>

#include "problems/spec/problem.h"

namespace kata::problem::histogram {

constexpr int most_bins = 65536;

Shape nearest(Shape shape) {
  return {std::max(shape[0], 1), std::clamp(shape[1], 1, most_bins)};
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  Expected counts{.value = std::vector<double>(one_case.shape[1])};
  for (int bin : inputs[0].as<int>()) ++counts.value[bin];
  return {counts};
}

Cost cost(const Shape& shape) {
  const double n = shape[0];
  const double bins = shape[1];
  return {.bytes_read = 4 * n, .bytes_written = 4 * bins, .operations = n};
}

// Counts are exact. Sizes: n with every remainder of a division by 4; bins below, at and above a
// block of 256 and of 1024 threads, above 48 KiB of shared memory (12288 bins) and above the 227
// KiB of an H100 (58112 bins). All elements in one bin overflow a counter of 16 bits at 65536, such
// a counter of each of 528 blocks at 2^25 + 2^21, and on a GPU a float counter at 2^24.
REGISTER_PROBLEM({
    .name = "histogram",
    .summary = "how often each value occurs",
    .frequency = "high",
    .difficulty = "medium",
    .signature = signature(input<int>("x", dims<0>, draw::below(1)), output<int>("counts", dims<1>),
                           integer("n", 1, 1 << 28), integer("bins", 1, 65536)),
    .limits = {"bins <= 65536", nearest},
    .cases = {{{1, 7}},
              {{258, 256}, Values::uniform},
              {{4099, 257}, Values::skewed},
              {{8191, 300}, Values::sorted},
              {{20001, 1025}, Values::uniform},
              {{70002, 1}},
              {{9000, 12289}, Values::uniform},
              {{5003, 65536}, Values::uniform}},
    .large_cases = {{{(1 << 25) + (1 << 21) + 1, 2}, Values::constant},
                    {{(1 << 24) + 3, 58113}, Values::uniform},
                    {{(1 << 22) + 2, 10}, Values::few_distinct}},
    .bench_shapes = {{1 << 26, 256},
                     {1 << 26, 16},
                     {1 << 26, 4096},
                     {1 << 24, 256},
                     {1 << 24, 4096},
                     {1 << 26, 65536}},
    .drawn_values = {Values::uniform, Values::skewed, Values::few_distinct},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::histogram
