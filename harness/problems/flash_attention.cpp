// flash_attention: O = softmax(Q K^T / sqrt(dim)) V for each head of each sequence, in half; all
// are [batch, heads, length, dim]. causal: query i sees the keys 0 to i.
#include <algorithm>
#include <cmath>

#include "problems/spec/problem.h"
#include "problems/tolerance/attention_row.h"

namespace kata {
namespace {

Outputs reference(const Inputs& inputs, const Case& one_case) {
  const auto floats = [&](std::size_t i) {
    const std::span<const Half> halves = inputs[i].as<Half>();
    return std::vector<float>(halves.begin(), halves.end());
  };
  const std::vector<float> q = floats(0), k = floats(1), v = floats(2);
  const std::size_t length = one_case.shape[2], dim = one_case.shape[3];
  const bool causal = one_case.shape[4] != 0;
  Expected O{.value = std::vector<double>(q.size()), .tolerance = std::vector<double>(q.size())};
  for (std::size_t row = 0; row < q.size() / dim; ++row) {
    const std::size_t head = row / length * length * dim, at = row * dim;
    const std::size_t keys = causal ? row % length + 1 : length;
    attention_row(&q[at], dim, {&k[head], &v[head], keys, dim}, true, &O.value[at],
                  &O.tolerance[at]);
  }
  for (std::size_t i = 0; i < q.size(); ++i) {
    O.tolerance[i] += rounding(Type::f16, std::abs(O.value[i]) + O.tolerance[i]);
  }
  return {O};
}

// The scores never reach device memory. Causal: half of the operations.
Cost cost(const Shape& shape) {
  const double heads = static_cast<double>(shape[0]) * shape[1];
  const double length = shape[2], dim = shape[3];
  return {.bytes_read = 6 * heads * length * dim,
          .bytes_written = 2 * heads * length * dim,
          .operations = 4 * heads * length * length * dim / (shape[4] != 0 ? 2 : 1),
          .unit = ArithmeticUnit::tensor_f16};
}

// The bound on the length keeps the reference, which takes length^2 dim steps, to seconds.
const RegisterProblem registered{{
    .name = "flash_attention",
    .summary = "attention in half, with heads and a causal mask",
    .frequency = "very high",
    .difficulty = "hard",
    .signature = signature(input<Half>("Q", dims<0, 1, 2, 3>, draw::mild_outliers()),
                           input<Half>("K", dims<0, 1, 2, 3>, draw::mild_outliers()),
                           input<Half>("V", dims<0, 1, 2, 3>), output<Half>("O", dims<0, 1, 2, 3>),
                           integer("batch"), integer("heads"), integer("length"), integer("dim"),
                           integer("causal")),
    .limits = {"length is at most 65535, dim is 64 or 128, causal is 0 or 1",
               [](Shape shape) -> Shape {
                 return {std::max(shape[0], 1), std::max(shape[1], 1),
                         std::clamp(shape[2], 1, 65535), shape[3] <= 64 ? 64 : 128, shape[4] & 1};
               }},
    .cases = {{{1, 1, 1, 64, 0}},
              {{2, 3, 15, 64, 1}},
              {{1, 2, 63, 128, 0}, Values::large_magnitude},
              {{1, 1, 64, 64, 1}, Values::sorted},
              {{1, 2, 65, 64, 1}, Values::large_magnitude},
              {{1, 1, 129, 128, 1}},
              {{1, 1, 200, 64, 0}, Values::outliers}},
    .large_cases = {{{2, 3, 1000, 128, 1}},
                    {{1, 2, 1024, 64, 0}, Values::sorted},
                    {{1, 1, 4099, 128, 1}, Values::outliers}},
    .bench_shapes = {{4, 32, 1024, 128, 0},
                     {4, 32, 16384, 128, 0},
                     {4, 32, 16384, 128, 1},
                     {4, 32, 4096, 128, 0}},
    .drawn_values = {Values::normal, Values::outliers, Values::large_magnitude},
    .reference = reference,
    .cost = cost,
}};

}  // namespace
}  // namespace kata
