// attention: O = softmax(Q K^T / sqrt(d)) V, where the softmax is that of each row; Q is [M, d], K
// and V are [N, d], O is [M, d], all row-major
#include <algorithm>
#include <cmath>

#include "problems/spec/attention_scores.h"
#include "problems/spec/problem.h"
#include "problems/tolerance/attention_row.h"

namespace kata::problem::attention {

// `all_negative` is a matter of the scores: with Q negative and K positive all of them are. Q is
// eight times as large then, so that exp of them without a maximum is 0.
void draw_Q(Array& Q, const Case& one_case, const Random& random) {
  draw::mild_outliers()(Q, one_case, random);
  if (one_case.values != Values::all_negative) return;
  for (float& q : Q.as<float>()) q *= 8;
}
void draw_K(Array& K, const Case& one_case, const Random& random) {
  draw::mild_outliers()(K, one_case, random);
  if (one_case.values != Values::all_negative) return;
  for (float& k : K.as<float>()) k = -k;
}
// In a case of large magnitude the first query is opposite to each of the first two keys, so that
// with so few keys all its scores are below any constant that stands for -infinity.
void arrange(Inputs& inputs, const Case& one_case, const Random&) {
  const std::size_t N = one_case.shape[1], d = one_case.shape[2];
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  const std::span<float> q = inputs[0].as<float>(), k = inputs[1].as<float>();
  const std::size_t few = std::min<std::size_t>(N, 2);
  for (std::size_t j = 0; j < few && one_case.values == Values::large_magnitude; ++j)
    oppose(q.first(d), k.subspan(j * d, d), scale, few == 1);
  if (one_case.values != Values::two_levels) return;
  const ScoresOnTwoLevels<float> levels(d, scale);
  levels.set_queries(q);
  for (std::size_t j = 0; j < N; ++j) levels.set_key(k.subspan(j * d, d), j, N);
  levels.set_values(inputs[2].as<float>());
}

// Equal keys have different values, or a forgotten one would not show.
void draw_V(Array& V, const Case& one_case, const Random& random) {
  if (one_case.values == Values::constant) return draw::around(0, 1)(V, one_case, random);
  draw::as_the_case_says()(V, one_case, random);
}

Outputs attention(const Inputs& inputs, const Shape& shape, std::size_t keys, double scale,
                  std::size_t unscaled_tile = 0) {
  const std::span<const float> Q = inputs[0].as<float>();
  const std::size_t M = shape[0], d = shape[2];
  const KeysAndValues kv{
      inputs[1].as<float>().data(), inputs[2].as<float>().data(), keys, d, scale, unscaled_tile};
  Expected O{.value = std::vector<double>(M * d), .tolerance = std::vector<double>(M * d)};
  for (std::size_t row = 0; row < M * d; row += d) {
    attention_row(&Q[row], d, kv, WeightType::f32, &O.value[row], &O.tolerance[row]);
  }
  return {O};
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::size_t N = one_case.shape[1];
  return attention(inputs, one_case.shape, N, 1 / std::sqrt(one_case.shape[2]));
}

Mistake not_rescaled(std::size_t keys_per_step) {
  return {"if the output were not rescaled when the maximum grows",
          [keys_per_step](const Inputs& inputs, const Case& one_case) {
            const std::size_t N = one_case.shape[1];
            return attention(inputs, one_case.shape, N, 1 / std::sqrt(one_case.shape[2]),
                             keys_per_step);
          }};
}

const std::vector<Mistake> mistakes{
    {"if the scores were not divided by sqrt(d)",
     [](const Inputs& inputs, const Case& one_case) {
       const std::size_t N = one_case.shape[1];
       return attention(inputs, one_case.shape, N, 1);
     }},
    {"if the scores were divided by d, not by sqrt(d)",
     [](const Inputs& inputs, const Case& one_case) {
       const std::size_t N = one_case.shape[1];
       return attention(inputs, one_case.shape, N, 1.0 / one_case.shape[2]);
     }},
    {"if only the first M keys were used: does the loop over the keys end at M, not N?",
     [](const Inputs& inputs, const Case& one_case) {
       const std::size_t keys = std::min(one_case.shape[0], one_case.shape[1]);
       return attention(inputs, one_case.shape, keys, 1 / std::sqrt(one_case.shape[2]));
     }},
    not_rescaled(1),
    not_rescaled(16),
    not_rescaled(32),
    not_rescaled(64),
};

// The scores never reach device memory. For each, 2 d operations in either product; what the
// softmax adds is little beside them.
Cost cost(const Shape& shape) {
  const double M = shape[0], N = shape[1], d = shape[2];
  return {
      .bytes_read = 4 * (M + 2 * N) * d, .bytes_written = 4 * M * d, .operations = 4 * M * N * d};
}

// In the case `sorted` Q and K ascend from negative to positive numbers: the scores of the first
// rows fall from key to key, those of the last rows rise, so that each tile has a new maximum.
REGISTER_PROBLEM({
    .name = "attention",
    .summary = "softmax(Q K^T / sqrt(d)) V in float, one head",
    .frequency = "very high",
    .difficulty = "hard",
    .signature = signature(input<float>("Q", dims<0, 2>, draw_Q),
                           input<float>("K", dims<1, 2>, draw_K),
                           input<float>("V", dims<1, 2>, draw_V), output<float>("O", dims<0, 2>),
                           integer("M", 1, 16384), integer("N", 1, 70001), integer("d", 1, 256)),
    .limits =
        {"d is at most 256",
         [](Shape shape) -> Shape {
           return {std::max(shape[0], 1), std::max(shape[1], 1), std::clamp(shape[2], 1, 256)};
         }},
    .cases = {{{1, 1, 1}},
              {{3, 1, 256},
               Values::large_magnitude},  // one key: O is its value, and the score -1.6e7
              {{1, 300, 33}},
              {{37, 65, 3}, Values::all_negative},
              {{18, 129, 65}, Values::sorted},
              {{65, 63, 64}, Values::outliers},
              {{5, 257, 128}, Values::constant},
              {{5, 1033, 20}, Values::two_levels},
              {{2, 70, 256}, Values::large_magnitude},
              {{2, 1030, 2}},  // a row of scores is longer than a block
              {{33, 520, 16}}},
    .large_cases = {{{1000, 1001, 64}},
                    {{257, 4097, 128}, Values::sorted},
                    {{2049, 511, 80}, Values::outliers},
                    {{5, 70001, 64}, Values::two_levels}},
    .bench_shapes = {{4096, 4096, 64}, {4096, 4096, 128}, {128, 16384, 64}, {1024, 1024, 64}},
    .arrange = arrange,
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::attention
