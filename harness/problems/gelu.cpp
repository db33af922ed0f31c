// gelu: y[i] = x[i] / 2 (1 + erf(x[i] / sqrt 2))
#include <cmath>

#include "problems/spec/problem.h"

namespace kata::problem::gelu {

// Where there is room: three times as wide as the case says, so that N(0, 1) covers the curve down
// to its tails, and the numbers at which a shortcut goes wrong: zeros, subnormals, numbers whose
// exponential overflows, and the largest.
void draw_x(Array& x, const Case& one_case, const Random& random) {
  constexpr float special[] = {0,    -0.0f, 1e-40f, -1e-40f, 89,     -89,   100,
                               -100, 1e4f,  -1e4f,  1e30f,   -1e30f, 3e38f, -3e38f};
  draw::as_the_case_says()(x, one_case, random);
  const std::span<float> elements = x.as<float>();
  if (elements.size() < 100) return;
  for (float& element : elements) element *= 3;
  for (std::size_t i = 0; i < std::size(special); ++i) {
    elements[random.below(i, elements.size())] = special[i];
  }
}

// The error of x / 2 (1 + e) with e = erf(x / sqrt 2), in units of u |x| with u = 2^-24:
//   e    2: erff is off by 2 ulp of at most u each, so half of that, and the rounding of
//        x / sqrt 2 moves e by at most u z e'(z) < u / 2
//   1+e  1, as it is below 2, and half of it counts
//   the two products round by at most 2 u relative to the result, which is at most |x|
// The sum is below 4. A relative tolerance would be unfair: 1 + e cancels for x < 0. The tanh form
// is off by 4.7e-4, which is 2900 u |x|. Below the smallest normal float a kernel may flush to
// zero.
double tolerance(double x) {
  return std::ldexp(4 * std::fabs(x), -24) + std::ldexp(1.0, -126);
}

Outputs element_by_element(const Inputs& inputs, double (*form)(double)) {
  const std::span<const float> x = inputs[0].as<float>();
  Expected y;
  y.value.reserve(x.size());
  y.tolerance.reserve(x.size());
  for (double value : x) {
    y.value.push_back(form(value));
    y.tolerance.push_back(tolerance(value));
  }
  return {y};
}

Outputs reference(const Inputs& inputs, const Case&) {
  return element_by_element(inputs, [](double x) {
    return 0.5 * x * std::erfc(-x * std::sqrt(0.5));  // does not cancel
  });
}

Outputs tanh_form(const Inputs& inputs, const Case&) {
  return element_by_element(inputs, [](double x) {
    return 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
  });
}

Outputs sigmoid_form(const Inputs& inputs, const Case&) {
  return element_by_element(inputs, [](double x) { return x / (1 + std::exp(-1.702 * x)); });
}

// erf counts as one operation, as do the three products and the sum.
Cost cost(const Shape& shape) {
  const double n = shape[0];
  return {.bytes_read = 4 * n, .bytes_written = 4 * n, .operations = 5 * n};
}

REGISTER_PROBLEM({
    .name = "gelu",
    .summary = "the activation GELU, element by element",
    .frequency = "medium",
    .difficulty = "easy",
    .signature = signature(input<float>("x", dims<0>, draw_x), output<float>("y", dims<0>),
                           integer("n", 1, 1 << 28)),
    .cases = {{{1}},
              {{3}},  // less than a float4
              {{257}},
              {{1026}},  // two elements after whole float4s
              {{4099}, Values::large_magnitude},
              {{8192}},
              {{40001}}},
    .large_cases = {{{(1 << 22) + 1}}, {{(1 << 22) + 4}, Values::large_magnitude}},
    .bench_shapes = {{1 << 26}, {1 << 24}, {1 << 20}, {(1 << 26) + 3}},
    .reference = reference,
    .cost = cost,
    .mistakes = {{"with the tanh form of gelu, not erf", tanh_form},
                 {"with the sigmoid form of gelu, x / (1 + exp(-1.702 x)), not erf", sigmoid_form}},
});

}  // namespace kata::problem::gelu
