// decode_attention: one query token per sequence against its cache of keys and values. q and out
// are [batch, heads, dim], the caches [batch, max_length, kv_heads, dim]; sequence b has lengths[b]
// keys. Head h uses kv head h / (heads / kv_heads).
#include <algorithm>
#include <limits>

#include "problems/spec/attention_scores.h"
#include "problems/spec/problem.h"
#include "problems/tolerance/attention_row.h"

namespace kata::problem::decode_attention {

struct Sizes {
  explicit Sizes(const Shape& s)
      : batch(s[0]), heads(s[1]), kv_heads(s[2]), max_length(s[3]), dim(s[4]) {}

  std::size_t batch, heads, kv_heads, max_length, dim;
};

Dims cache(const Shape& shape) {
  return {shape[0], shape[3], shape[2], shape[4]};
}

// The only key of a sequence of one is opposite to the query of the first head that uses it: the
// score is below any constant that stands for -infinity.
void oppose(const Sizes& s, Inputs& inputs) {
  const std::span<Half> q = inputs[0].as<Half>(), k = inputs[1].as<Half>();
  for (std::size_t b = 0; b < s.batch; ++b) {
    if (inputs[3].as<int>()[b] != 1) continue;
    for (std::size_t kv_head = 0; kv_head < s.kv_heads; ++kv_head) {
      const std::size_t head = kv_head * (s.heads / s.kv_heads);
      const std::size_t key = (b * s.max_length * s.kv_heads + kv_head) * s.dim;
      kata::oppose(q.subspan((b * s.heads + head) * s.dim, s.dim), k.subspan(key, s.dim),
                   1 / std::sqrt(static_cast<double>(s.dim)), (b + kv_head) % 2 == 0);
    }
  }
}

void set_levels(const Sizes& s, Inputs& inputs) {
  const std::span<Half> q = inputs[0].as<Half>(), k = inputs[1].as<Half>();
  const ScoresOnTwoLevels<Half> levels(s.dim, 1 / std::sqrt(static_cast<double>(s.dim)));
  levels.set_queries(q);
  for (std::size_t key = 0; key < s.batch * s.max_length * s.kv_heads; ++key) {
    const std::size_t row = key / s.kv_heads;
    const auto length = static_cast<std::size_t>(inputs[3].as<int>()[row / s.max_length]);
    levels.set_key(k.subspan(key * s.dim, s.dim), row % s.max_length, length);
  }
  levels.set_values(inputs[2].as<Half>());
}

// `all_negative` is a matter of the scores: negative queries and positive keys. The queries are
// eight times as large then, so that exp of the scores without a maximum is 0. What is in the
// caches past the last key of a sequence is NaN.
void arrange(Inputs& inputs, const Case& one_case, const Random&) {
  const Sizes s(one_case.shape);
  if (one_case.values == Values::large_magnitude) oppose(s, inputs);
  if (one_case.values == Values::two_levels) set_levels(s, inputs);
  const std::span<const int> lengths = inputs[3].as<int>();
  const std::size_t row = s.kv_heads * s.dim;
  for (std::size_t b = 0; b < s.batch; ++b) {
    const std::size_t begin = (b * s.max_length + static_cast<std::size_t>(lengths[b])) * row;
    const std::size_t end = (b + 1) * s.max_length * row;
    for (std::size_t cache : {1, 2}) {
      std::fill(&inputs[cache].as<Half>()[0] + begin, &inputs[cache].as<Half>()[0] + end,
                Half(std::numeric_limits<double>::quiet_NaN()));
    }
  }
  if (one_case.values != Values::all_negative) return;
  for (Half& q : inputs[0].as<Half>()) q = Half(8 * q);
  for (Half& k : inputs[1].as<Half>()) k = Half(-k);
}

/// What varies between the operator and what is taken for it.
struct Formula {
  std::size_t (*kv_head)(std::size_t head, const Sizes& s) = [](std::size_t head, const Sizes& s) {
    return head / (s.heads / s.kv_heads);
  };
  double scale = 0;               ///< of the scores; 0 means 1 / sqrt(dim)
  std::size_t unscaled_tile = 0;  ///< see KeysAndValues
  std::size_t left_out = 0;       ///< keys at the end of each sequence
  bool one_length = false;        ///< all sequences have the length of the first
};

Outputs attention(const Inputs& inputs, const Case& one_case, const Formula& formula) {
  const Sizes s(one_case.shape);
  const std::vector<float> q = inputs[0].floats(), k = inputs[1].floats(), v = inputs[2].floats();
  Expected out{.value = std::vector<double>(q.size()), .tolerance = std::vector<double>(q.size())};
  for (std::size_t row = 0; row < s.batch * s.heads; ++row) {
    const std::size_t b = row / s.heads, kv_head = formula.kv_head(row % s.heads, s);
    const std::size_t first = (b * s.max_length * s.kv_heads + kv_head) * s.dim, at = row * s.dim;
    const std::size_t length = inputs[3].as<int>()[formula.one_length ? 0 : b];
    const std::size_t keys = length > formula.left_out ? length - formula.left_out : length;
    const KeysAndValues kv{&k[first],          &v[first],     keys,
                           s.kv_heads * s.dim, formula.scale, formula.unscaled_tile};
    attention_row(&q[at], s.dim, kv, WeightType::f16, &out.value[at], &out.tolerance[at]);
  }
  out.add_rounding(Type::f16);
  return {out};
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  return attention(inputs, one_case, {});
}

auto instead(const Formula& formula) {
  return [formula](const Inputs& inputs, const Case& one_case) {
    return attention(inputs, one_case, formula);
  };
}

const std::vector<Mistake> mistakes{
    {"if the scores were not divided by sqrt(dim)", instead({.scale = 1})},
    {"if the scores were divided by sqrt(64) = 8, not by sqrt(dim)", instead({.scale = 0.125})},
    {"if head h used kv head h % kv_heads, not h / (heads / kv_heads)",
     instead({.kv_head = [](std::size_t head, const Sizes& s) { return head % s.kv_heads; }})},
    {"if all heads used kv head 0",
     instead({.kv_head = [](std::size_t, const Sizes&) { return std::size_t{0}; }})},
    {"without the last key of each sequence", instead({.left_out = 1})},
    {"if all sequences had the length of the first", instead({.one_length = true})},
    {"if the output were not rescaled when the maximum grows", instead({.unscaled_tile = 1})},
    {"if the output were not rescaled when the maximum grows", instead({.unscaled_tile = 16})},
    {"if the output were not rescaled when the maximum grows", instead({.unscaled_tile = 32})},
    {"if the output were not rescaled when the maximum grows", instead({.unscaled_tile = 64})},
};

// Sequences of full length. The caches are all that counts: 2 bytes for each key and value.
Cost cost(const Shape& shape) {
  const double batch = shape[0], heads = shape[1], length = shape[3], dim = shape[4];
  return {.bytes_read = 4 * batch * length * shape[2] * dim + 2 * batch * heads * dim,
          .bytes_written = 2 * batch * heads * dim,
          .operations = 4 * batch * heads * length * dim,
          .unit = ArithmeticUnit::tensor_f16};
}

REGISTER_PROBLEM({
    .name = "decode_attention",
    .summary = "attention of one new token per sequence over a KV cache in half precision",
    .frequency = "high",
    .difficulty = "hard",
    .signature = signature(input<Half>("q", dims<0, 1, 4>, draw::mild_outliers()),
                           input<Half>("k_cache", cache, draw::cached_keys()),
                           input<Half>("v_cache", cache, draw::cached_values()),
                           input<int>("lengths", dims<0>, draw::sequence_lengths(3)),
                           output<Half>("out", dims<0, 1, 4>), integer("batch", 1, 128),
                           integer("heads", 1, 64), integer("kv_heads", 1, 64),
                           integer("max_length", 1, 131072), integer("dim", 64, 128)),
    .limits = {"kv_heads divides heads, and dim is 64 or 128",
               [](Shape shape) -> Shape {
                 for (int& size : shape) size = std::max(size, 1);
                 const int group = (shape[1] + shape[2] - 1) / shape[2];
                 return {shape[0], group * shape[2], shape[2], shape[3], shape[4] <= 64 ? 64 : 128};
               }},
    .cases = {{{1, 1, 1, 1, 64}},
              {{3, 2, 2, 70, 128}},
              {{2, 16, 2, 33, 64}},  // groups of 8
              {{3, 6, 2, 150, 128}, Values::large_magnitude},
              {{2, 5, 1, 97, 128}, Values::sorted},
              {{1, 9, 1, 530, 64}, Values::outliers},
              {{2, 3, 1, 90, 128}, Values::two_levels},
              {{2, 17, 1, 65, 64}, Values::all_negative},
              {{20, 2, 2, 150, 64}},  // 40 pairs of a sequence and a kv head: most of one wave
              {{7, 2, 1, 129, 64}, Values::constant}},
    .large_cases = {{{5, 32, 8, 2049, 128}},
                    {{2, 24, 8, 8192, 128}, Values::outliers},
                    {{70, 16, 2, 513, 64}, Values::sorted},
                    {{1, 8, 8, 70001, 64}}},
    .bench_shapes = {{8, 32, 8, 8192, 128}, {64, 32, 8, 8192, 128}, {1, 32, 8, 8192, 128}},
    .drawn_values = {Values::normal, Values::outliers, Values::all_negative},
    .fewer_parts = [](Shape shape) -> Shape {
      return {1 + shape[0] % 4, shape[1], 1 + shape[2] % 3, shape[3], shape[4]};
    },
    .arrange = arrange,
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::decode_attention
