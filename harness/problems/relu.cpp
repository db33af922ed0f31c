// relu: y[i] = max(x[i], 0)
#include <algorithm>

#include "problems/problem.h"

namespace kata {
namespace {

Dims vector_of_n(const Shape& shape) { return {shape[0]}; }

Expected reference(const Inputs& inputs, const Shape&) {
  const std::vector<float>& x = inputs[0];
  Expected y;
  y.value.reserve(x.size());
  for (float value : x) y.value.push_back(std::max(value, 0.0f));
  y.tolerance.assign(x.size(), 0.0);  // a selection: nothing is rounded
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
              {{31}},
              {{255}},
              {{256}},
              {{257}, Values::all_negative},
              {{1023}, Values::large_magnitude},
              {{4098}, Values::constant},
              {{100003}, Values::outliers}},
    .large_cases = {{{(1 << 22) + 1}}},
    .bench_shapes = {{1 << 24}, {1 << 26}, {(1 << 26) + 3}},
    .reference = reference,
    .cost = cost,
}};

}  // namespace
}  // namespace kata
