// sigmoid: y[i] = 1 / (1 + exp(-x[i]))
#include <cmath>

#include "problems/spec/problem.h"

namespace kata::problem::sigmoid {

// With z = exp(-x), y = 1 / (1 + z) and u = 2^-24, the errors of a right kernel are, in units of u:
//   z         4 + 2.35 |x| relative: __expf is off by 2 + 1.173 |x| ulp (CUDA's own table), an ulp
//   is
//             at most 2u. expf is well inside that. A relative error of z is worth (1 - y) times as
//             much in y, since z / (1 + z) = 1 - y.
//   1 + z     1 relative
//   quotient  4 relative: __fdividef is off by 2 ulp; the division of IEEE 754 by half of one
//   tanh      2 absolute: 0.5 + 0.5 tanh(x / 2), as compilers of neural networks write it, is as
//             good an answer. tanhf is off by 2 ulp, of u each as it is below 1, so half of it by
//             u; the sum rounds by half of u. This also covers results that are flushed to zero:
//             __fdividef does so where the divisor is above 2^126.
double tolerance(double x, double y) {
  const double u = std::ldexp(1.0, -24);
  return u * (2 + y * (5 + (1 - y) * (4 + 2.35 * std::abs(x))));
}

Outputs reference(const Inputs& inputs, const Case&) {
  const std::span<const float> x = inputs[0].as<float>();
  Expected y;
  y.value.reserve(x.size());
  y.tolerance.reserve(x.size());
  for (double value : x) {
    const double sigmoid = 1 / (1 + std::exp(-value));
    y.value.push_back(sigmoid);
    y.tolerance.push_back(tolerance(value, sigmoid));
  }
  return {y};
}

// The exponential and the division count as one operation each, like the negation and the sum.
Cost cost(const Shape& shape) {
  const double n = shape[0];
  return {.bytes_read = 4 * n, .bytes_written = 4 * n, .operations = 4 * n};
}

// Large magnitudes reach beyond +-88, where one of exp(x) and exp(-x) is infinite.
REGISTER_PROBLEM({
    .name = "sigmoid",
    .summary = "y = 1 / (1 + exp(-x)), element by element",
    .frequency = "low",
    .difficulty = "easy",
    .signature = signature(input<float>("x", dims<0>), output<float>("y", dims<0>),
                           integer("n", 1, 1 << 28)),
    .cases = {{{1}},
              {{3}},    // less than a float4
              {{255}},  // more than a warp, less than a block
              {{257}, Values::large_magnitude},
              {{1024}},                    // no rest after whole blocks
              {{4098}, Values::outliers},  // a block of 1024 float4s, and half of one
              {{131077}}},
    .large_cases = {{{(1 << 22) + 1}}, {{(1 << 22) + 4}, Values::large_magnitude}},
    .bench_shapes = {{1 << 24}, {1 << 26}, {(1 << 26) + 3}, {1 << 20}},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::sigmoid
