// flash_attention: O = softmax(Q K^T / sqrt(dim)) V for each head of each sequence, in half; all
// are [batch, heads, length, dim]. causal: query i sees the keys 0 to i.
#include <algorithm>

#include "problems/spec/attention_scores.h"
#include "problems/spec/problem.h"
#include "problems/tolerance/attention_row.h"

namespace kata::problem::flash_attention {

// In a case of large magnitude the first key of a head is opposite to its first query. Where that
// sees no other key, its score is below any constant that stands for -infinity.
void arrange(Inputs& inputs, const Case& one_case, const Random&) {
  const std::size_t length = one_case.shape[2], dim = one_case.shape[3], head = length * dim;
  const std::span<Half> q = inputs[0].as<Half>(), k = inputs[1].as<Half>();
  const double scale = 1 / std::sqrt(static_cast<double>(dim));
  for (std::size_t at = 0; at < q.size() && one_case.values == Values::large_magnitude; at += head)
    oppose(q.subspan(at, dim), k.subspan(at, dim), scale, at / head % 2 == 1);
  if (one_case.values != Values::two_levels) return;
  const ScoresOnTwoLevels<Half> levels(dim, scale);
  levels.set_queries(q);
  for (std::size_t row = 0; row < k.size() / dim; ++row)
    levels.set_key(k.subspan(row * dim, dim), row % length, length);
  levels.set_values(inputs[2].as<Half>());
}

/// What varies between the operator and what is taken for it.
struct Formula {
  std::size_t (*keys)(std::size_t query, std::size_t length,
                      bool causal) = [](std::size_t query, std::size_t length, bool causal) {
    return causal ? query + 1 : length;
  };
  double scale = 0;               ///< of the scores; 0 means 1 / sqrt(dim)
  std::size_t unscaled_tile = 0;  ///< see KeysAndValues
  bool of_own_head = true;        ///< false: all heads use the keys of head 0
};

Outputs attention(const Inputs& inputs, const Case& one_case, const Formula& formula) {
  const std::vector<float> q = inputs[0].floats(), k = inputs[1].floats(), v = inputs[2].floats();
  const std::size_t length = one_case.shape[2], dim = one_case.shape[3];
  const bool causal = one_case.shape[4] != 0;
  Expected O{.value = std::vector<double>(q.size()), .tolerance = std::vector<double>(q.size())};
  for (std::size_t row = 0; row < q.size() / dim; ++row) {
    const std::size_t head = row / length * length * dim, at = row * dim;
    const KeysAndValues kv{&k[formula.of_own_head ? head : 0],
                           &v[head],
                           formula.keys(row % length, length, causal),
                           dim,
                           formula.scale,
                           formula.unscaled_tile};
    attention_row(&q[at], dim, kv, WeightType::f16, &O.value[at], &O.tolerance[at]);
  }
  O.add_rounding(Type::f16);
  return {O};
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  return attention(inputs, one_case, {});
}

auto instead(const Formula& formula) {
  return [formula](const Inputs& inputs, const Case& one_case) {
    return attention(inputs, one_case, formula);
  };
}

// A strict mask leaves query 0 no key: kernels differ in what they write there.
const std::vector<Mistake> mistakes{
    {"if the scores were not divided by sqrt(dim)", instead({.scale = 1})},
    {"if the scores were divided by sqrt(64) = 8, not by sqrt(dim)", instead({.scale = 0.125})},
    {"without the causal mask",
     instead({.keys = [](std::size_t, std::size_t length, bool) { return length; }})},
    {"with the causal mask, though causal is 0",
     instead({.keys = [](std::size_t query, std::size_t, bool) { return query + 1; }})},
    {"if query i saw the keys 0 to i + 1 (the mask is one too far)",
     instead({.keys = [](std::size_t query, std::size_t length,
                         bool causal) { return causal ? std::min(query + 2, length) : length; }})},
    {"if query i saw the keys 0 to i - 1 (the mask is one too short)",
     instead(
         {.keys = [](std::size_t query, std::size_t length,
                     bool causal) { return causal ? std::max<std::size_t>(query, 1) : length; }})},
    {"if all heads used the keys of head 0", instead({.of_own_head = false})},
    {"if the output were not rescaled when the maximum grows", instead({.unscaled_tile = 1})},
    {"if the output were not rescaled when the maximum grows", instead({.unscaled_tile = 16})},
    {"if the output were not rescaled when the maximum grows", instead({.unscaled_tile = 32})},
    {"if the output were not rescaled when the maximum grows", instead({.unscaled_tile = 64})},
};

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
REGISTER_PROBLEM({
    .name = "flash_attention",
    .summary = "attention in half, with heads and a causal mask",
    .frequency = "very high",
    .difficulty = "hard",
    .signature = signature(input<Half>("Q", dims<0, 1, 2, 3>, draw::mild_outliers()),
                           input<Half>("K", dims<0, 1, 2, 3>, draw::mild_outliers()),
                           input<Half>("V", dims<0, 1, 2, 3>), output<Half>("O", dims<0, 1, 2, 3>),
                           integer("batch", 1, 64), integer("heads", 1, 128),
                           integer("length", 1, 65535), integer("dim", 64, 128),
                           integer("causal", 0, 1)),
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
              {{1, 1, 129, 64, 1}},
              {{1, 1, 127, 128, 1}},
              {{1, 1, 100, 128, 0}, Values::two_levels},
              {{1, 1, 130, 64, 0}, Values::outliers}},
    .large_cases = {{{2, 3, 1000, 128, 1}},
                    {{1, 2, 1024, 64, 0}, Values::sorted},
                    {{1, 1, 4099, 128, 1}, Values::outliers}},
    .bench_shapes = {{4, 32, 1024, 128, 0},
                     {4, 32, 16384, 128, 0},
                     {4, 32, 16384, 128, 1},
                     {4, 32, 4096, 128, 0}},
    .drawn_values = {Values::normal, Values::outliers, Values::large_magnitude},
    .fewer_parts = [](Shape shape) -> Shape {
      return {1 + shape[0] % 2, 1 + shape[1] % 3, shape[2], shape[3], shape[4]};
    },
    .arrange = arrange,
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::flash_attention
