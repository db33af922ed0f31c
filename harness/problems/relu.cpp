// relu: y[i] = max(x[i], 0)
#include <algorithm>

#include "problems/problem.h"

namespace kata {
namespace {

Dims vector_of_n(const Shape& shape) {
  return {shape[0]};
}

// A selection rounds nothing, so nothing but x[i] or 0 itself will do. (-0 equals 0: either may be
// the answer to an input of -0.)
Expected reference(const Inputs& inputs, const Shape&) {
  const std::vector<float>& x = inputs[0];
  Expected y;
  y.value.reserve(x.size());
  for (float value : x) y.value.push_back(std::max(value, 0.0f));
  y.tolerance.assign(x.size(), 0.0);
  return y;
}

Cost cost(const Shape& shape) {
  const double n = shape[0];
  return {.bytes_read = 4 * n, .bytes_written = 4 * n, .operations = n};
}

const RegisterProblem registered{{
    .name = "relu",
    .summary = "y = max(x, 0), element by element",
    .frequency = "low",
    .difficulty = "easy",
    .signature = signature<const float*, float*, int>({"x", "y", "n"}),
    .inputs = {{"x", vector_of_n}},
    .output = {"y", vector_of_n},
    .cases = {{{1}},
              {{3}},
              {{31}, Values::all_negative},
              {{32}},
              {{255}},
              {{256}, Values::outliers},
              {{257}},
              {{1023}, Values::large_magnitude},
              {{1024}, Values::constant},
              {{1025}},
              {{4098}, Values::outliers},
              {{131077}}},
    .large_cases = {{{(1 << 22) + 1}}, {{(1 << 22) + 4}, Values::outliers}},
    .bench_shapes = {{1 << 24}, {1 << 26}, {(1 << 26) + 3}, {1 << 20}},
    .reference = reference,
    .cost = cost,
}};

}  // namespace
}  // namespace kata
