// mla_decode: multi-head latent attention of one query token per sequence, in the absorbed form of
// DeepSeek-V2. q is [batch, heads, 576], cache [batch, max_length, 576], out [batch, heads, 512];
// sequence b has lengths[b] rows. A row is the key of all heads, and its first 512 elements, the
// latent vector, are the value. The other 64 carry the rotary positions.
#include <algorithm>
#include <cmath>
#include <limits>

#include "problems/spec/attention_scores.h"
#include "problems/spec/problem.h"
#include "problems/tolerance/attention_row.h"

namespace kata::problem::mla_decode {

constexpr std::size_t row_elements = 576, latent = 512, rotary = row_elements - latent;

struct Sizes {
  explicit Sizes(const Shape& s) : batch(s[0]), heads(s[1]), max_length(s[2]) {}

  std::size_t batch, heads, max_length;
};

Dims queries(const Shape& shape) {
  return {shape[0], shape[1], row_elements};
}
Dims cache(const Shape& shape) {
  return {shape[0], shape[2], row_elements};
}
Dims outputs(const Shape& shape) {
  return {shape[0], shape[1], latent};
}

// Rows differ in a constant case, too: arrange() makes the scores equal.
void draw_cache(Array& rows, const Case& one_case, const Random& random) {
  Case drawn = one_case;
  if (one_case.values == Values::constant) drawn.values = Values::normal;
  draw::cached_keys()(rows, drawn, random);
}

// The only row of a sequence of one is opposite to the query of its first head: the score is below
// any constant that stands for -infinity.
void oppose(const Sizes& s, Inputs& inputs, double scale) {
  const std::span<Bfloat16> q = inputs[0].as<Bfloat16>(), rows = inputs[1].as<Bfloat16>();
  for (std::size_t b = 0; b < s.batch; ++b) {
    if (inputs[2].as<int>()[b] != 1) continue;
    const std::size_t row = b * s.max_length * row_elements;
    const std::size_t query = b * s.heads * row_elements;
    kata::oppose(q.subspan(query, row_elements), rows.subspan(row, row_elements), scale,
                 b % 2 == 1);
  }
}

// Only the rotary elements of a query count, and those of all rows are 3: the scores of a head are
// equal, and out is the mean of the values.
void equal_scores(Inputs& inputs) {
  const std::span<Bfloat16> q = inputs[0].as<Bfloat16>(), rows = inputs[1].as<Bfloat16>();
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (i % row_elements < latent) q[i] = Bfloat16(0);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i % row_elements >= latent) rows[i] = Bfloat16(3);
  }
}

void set_levels(const Sizes& s, Inputs& inputs, double scale) {
  const std::span<Bfloat16> q = inputs[0].as<Bfloat16>(), rows = inputs[1].as<Bfloat16>();
  const ScoresOnTwoLevels<Bfloat16> levels(row_elements, scale);
  levels.set_queries(q);
  for (std::size_t row = 0; row < s.batch * s.max_length; ++row) {
    const auto length = static_cast<std::size_t>(inputs[2].as<int>()[row / s.max_length]);
    levels.set_key(rows.subspan(row * row_elements, row_elements), row % s.max_length, length);
  }
}

// `all_negative` is a matter of the scores: negative queries and positive rows. The queries are
// eight times as large then, so that exp of the scores without a maximum is 0. Rows past the end
// of a sequence hold NaN.
void arrange(Inputs& inputs, const Case& one_case, const Random&) {
  const Sizes s(one_case.shape);
  const std::span<Bfloat16> q = inputs[0].as<Bfloat16>(), rows = inputs[1].as<Bfloat16>();
  if (one_case.values == Values::large_magnitude) oppose(s, inputs, one_case.reals[0]);
  if (one_case.values == Values::two_levels) set_levels(s, inputs, one_case.reals[0]);
  if (one_case.values == Values::constant) equal_scores(inputs);
  if (one_case.values == Values::all_negative) {
    for (Bfloat16& x : q) x = Bfloat16(8 * x);
    for (Bfloat16& x : rows) x = Bfloat16(-x);
  }
  const Bfloat16 nan(std::numeric_limits<double>::quiet_NaN());
  for (std::size_t b = 0; b < s.batch; ++b) {
    const auto length = static_cast<std::size_t>(inputs[2].as<int>()[b]);
    std::ranges::fill(rows.subspan((b * s.max_length + length) * row_elements,
                                   (s.max_length - length) * row_elements),
                      nan);
  }
}

/// What varies between the operator and what is taken for it.
struct Formula {
  std::size_t first_value = 0;        ///< where the value of a row begins
  std::size_t scored = row_elements;  ///< how many elements of a row the score takes
  double scale = 0;                   ///< of the scores; 0 means the argument
  std::size_t unscaled_tile = 0;      ///< see KeysAndValues
  std::size_t left_out = 0;           ///< rows at the end of each sequence
  bool one_length = false;            ///< all sequences have the length of the first
};

Outputs attention(const Inputs& inputs, const Case& one_case, const Formula& formula) {
  const Sizes s(one_case.shape);
  const std::vector<float> q = inputs[0].floats(), rows = inputs[1].floats();
  const std::size_t count = s.batch * s.heads * latent;
  Expected out{.value = std::vector<double>(count), .tolerance = std::vector<double>(count)};
  for (std::size_t head = 0; head < s.batch * s.heads; ++head) {
    const std::size_t b = head / s.heads;
    const float* first = &rows[b * s.max_length * row_elements];
    const std::size_t length = inputs[2].as<int>()[formula.one_length ? 0 : b];
    const KeysAndValues kv{.keys = first,
                           .values = first + formula.first_value,
                           .count = length > formula.left_out ? length - formula.left_out : length,
                           .stride = row_elements,
                           .scale = formula.scale > 0 ? formula.scale : one_case.reals[0],
                           .unscaled_tile = formula.unscaled_tile,
                           .value_dim = latent};
    attention_row(&q[head * row_elements], formula.scored, kv, WeightType::bf16,
                  &out.value[head * latent], &out.tolerance[head * latent]);
  }
  out.add_rounding(Type::bf16);
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
    {"if the values were elements 64 to 575 of a row, not 0 to 511",
     instead({.first_value = rotary})},
    {"if the scores left the 64 rotary elements out", instead({.scored = latent})},
    {"if the scores were not multiplied by scale", instead({.scale = 1})},
    {"if the scores were divided by sqrt(576) = 24, not multiplied by scale",
     instead({.scale = 1 / 24.0})},
    {"if the scores were divided by sqrt(192), not multiplied by scale",
     instead({.scale = 1 / std::sqrt(192.0)})},
    {"if the scores were divided by sqrt(512), not multiplied by scale",
     instead({.scale = 1 / std::sqrt(512.0)})},
    {"without the last row of each sequence", instead({.left_out = 1})},
    {"if all sequences had the length of the first", instead({.one_length = true})},
    {"if the output were not rescaled when the maximum grows", instead({.unscaled_tile = 1})},
    {"if the output were not rescaled when the maximum grows", instead({.unscaled_tile = 16})},
    {"if the output were not rescaled when the maximum grows", instead({.unscaled_tile = 32})},
    {"if the output were not rescaled when the maximum grows", instead({.unscaled_tile = 64})},
};

// Sequences of full length. Each row is read once, and all heads share it.
Cost cost(const Shape& shape) {
  const double batch = shape[0], heads = shape[1], length = shape[2];
  return {.bytes_read = 2.0 * row_elements * batch * (length + heads) + 4 * batch,
          .bytes_written = 2.0 * latent * batch * heads,
          .operations = 2.0 * (row_elements + latent) * batch * heads * length,
          .unit = ArithmeticUnit::tensor_bf16};
}

REGISTER_PROBLEM({
    .name = "mla_decode",
    .summary = "latent attention (MLA) of one new token per sequence, all heads over one cache row",
    .frequency = "medium",
    .difficulty = "hard",
    .signature = signature(input<Bfloat16>("q", queries, draw::mild_outliers()),
                           input<Bfloat16>("cache", cache, draw_cache),
                           input<int>("lengths", dims<0>, draw::sequence_lengths(2)),
                           output<Bfloat16>("out", outputs), integer("batch", 1, 256),
                           integer("heads", 1, 128), integer("max_length", 1, 131072),
                           real("scale", 0.0721688f)),  // 1 / sqrt(192), as in DeepSeek-V2
    .most_elements = std::int64_t{1} << 32,
    .cases = {{{1, 1, 1}},
              {{2, 5, 65}, Values::normal, {1 / 24.0f}},
              {{3, 17, 33}, Values::large_magnitude},
              {{1, 16, 200}, Values::sorted},
              {{2, 20, 70}, Values::normal, {1.0f}},  // each head has a winner of its own
              {{2, 3, 129}, Values::all_negative},
              {{2, 3, 90}, Values::two_levels},
              {{2, 2, 530}, Values::constant},  // a sequence of one row beside a long one
              {{1, 65, 140}, Values::outliers}},
    .large_cases = {{{2, 128, 500}},
                    {{2, 16, 4097}, Values::outliers},
                    {{70, 5, 257}, Values::sorted},
                    {{1, 1, 70001}}},
    .bench_shapes = {{64, 128, 4096}, {64, 16, 8192}, {1, 128, 65536}, {128, 128, 8192}},
    .drawn_values = {Values::normal, Values::outliers, Values::all_negative},
    .fewer_parts = [](Shape shape) -> Shape {
      return {1 + shape[0] % 4, shape[1], shape[2]};
    },
    .arrange = arrange,
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::mla_decode
