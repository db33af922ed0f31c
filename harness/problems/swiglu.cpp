// swiglu: y[i] = silu(x[i]) x[i + n / 2] for i < n / 2, silu(z) = z / (1 + exp(-z))
#include <cmath>

#include "problems/spec/problem.h"

namespace kata::problem::swiglu {

Dims half_of_n(const Shape& shape) {
  return {shape[0] / 2};
}

// The case's distribution and, where there is room, pairs for which an order of operations or an
// exponential goes wrong. Every exact result is finite in float.
void draw_x(Array& x, const Case& one_case, const Random& random) {
  struct Pair {
    float gate, up;
  };
  constexpr Pair special[] = {{-100, 1},       {-1e4f, -3},    {-1e20f, 1e20f}, {-1e20f, -1e20f},
                              {100, 2},        {1e20f, 1e17f}, {-88, 1e20f},    {-95, 1e30f},
                              {-87.5f, -1e3f}, {1e-3f, 0},     {-1e20f, 0},     {20, -1e20f}};
  draw::as_the_case_says()(x, one_case, random);
  const std::span<float> elements = x.as<float>();
  const std::size_t outputs = elements.size() / 2;
  if (outputs < 100) return;
  for (std::size_t k = 0; k < std::size(special); ++k) {
    const std::size_t i = random.below(k, outputs);
    elements[i] = special[k].gate;
    elements[i + outputs] = special[k].up;
  }
}

// Errors of a right kernel with z = exp(-gate) and sigmoid = 1 / (1 + z), in units of u = 2^-24:
//   z         4 + 2.35 |gate| relative: __expf is off by 2 + 1.173 |gate| ulp (CUDA's table) of at
//             most 2u; expf is well inside that. It counts 1 - sigmoid times in the quotient.
//   1 + z     1 relative
//   quotient  4 relative: __fdividef is off by 2 ulp
//   product   1 relative
// Where z overflows (gate < -88.7), or where __fdividef returns 0 because its divisor is above
// 2^126 (gate < -87.3), silu is 0 instead of at most 88 / 2^126 < 2^-119.
double tolerance(double gate, double up, double sigmoid, double y) {
  const double u = std::ldexp(1.0, -24);
  return u * std::fabs(y) * (6 + (1 - sigmoid) * (4 + 2.35 * std::fabs(gate))) +
         std::ldexp(std::fabs(up), -119) + std::ldexp(1.0, -126);
}

Outputs reference(const Inputs& inputs, const Case&) {
  const std::span<const float> x = inputs[0].as<float>();
  const std::size_t outputs = x.size() / 2;
  Expected y;
  y.value.reserve(outputs);
  y.tolerance.reserve(outputs);
  for (std::size_t i = 0; i < outputs; ++i) {
    const double gate = x[i], up = x[i + outputs];
    const double sigmoid = 1 / (1 + std::exp(-gate));
    y.value.push_back(gate * sigmoid * up);
    y.tolerance.push_back(tolerance(gate, up, sigmoid, y.value.back()));
  }
  return {y};
}

// An output takes an exponential, a sum, a quotient and a product.
Cost cost(const Shape& shape) {
  const double outputs = shape[0] / 2;
  return {.bytes_read = 8 * outputs, .bytes_written = 4 * outputs, .operations = 4 * outputs};
}

REGISTER_PROBLEM({
    .name = "swiglu",
    .summary = "silu of the first half of x, times the second half",
    .frequency = "medium",
    .difficulty = "easy",
    .signature = signature(input<float>("x", dims<0>, draw_x), output<float>("y", half_of_n),
                           integer("n", 2, 1 << 28)),
    .limits = {"n is even",
               [](Shape shape) -> Shape { return {shape[0] < 2 ? 2 : shape[0] - shape[0] % 2}; }},
    .cases = {{{2}},
              {{6}},
              {{250}},                            // an odd half: 125
              {{2052}, Values::large_magnitude},  // the second half begins 2 floats off
              {{4102}},                           // 3 floats off
              {{8194}},                           // 1 float off
              {{8192}, Values::large_magnitude},
              {{40008}}},
    .large_cases = {{{(1 << 22) + 2}}, {{(1 << 22) + 8}, Values::large_magnitude}},
    .bench_shapes = {{1 << 26}, {1 << 24}, {1 << 20}, {(1 << 26) + 2}},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::swiglu
