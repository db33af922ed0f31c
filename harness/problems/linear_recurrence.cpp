// linear_recurrence: h_t = a_t h_(t-1) + b_t along the middle dimension of [batch, length,
// channels], from h_(-1) = 0
#include <cmath>

#include "problems/spec/problem.h"
#include "problems/tolerance/dot_product.h"

namespace kata::problem::linear_recurrence {

/// Where the elements of a sequence are: one for each batch and channel.
struct Sequence {
  std::size_t first, stride, length;
};

Sequence sequence_of(const Case& one_case, std::size_t number) {
  const std::size_t length = one_case.shape[1], channels = one_case.shape[2];
  return {number / channels * length * channels + number % channels, channels, length};
}

std::size_t sequences(const Case& one_case) {
  return static_cast<std::size_t>(one_case.shape[0]) * one_case.shape[2];
}

// How long a sequence remembers. Neighbours have unlike kinds, so that what leaks from one to
// another shows.
double draw_step(std::size_t kind, std::size_t t, const Random& random) {
  switch (kind) {
    case 0:  // some steps
      return random.uniform(t);
    case 1:  // about 1000 steps: over many tiles
      return 1 - 0.002 * random.uniform(t);
    case 2:  // either sign
      return 2 * random.uniform(t) - 1;
    case 3:  // a product of these underflows after 150 steps
      return 0.5;
    case 4:  // all of it, but for some steps that forget everything
      return random.below(t, 200) == 0 ? 0 : 1;
    case 5:  // none, and no 0: a product of four underflows, and no quotient by it is finite
      return (random.below(t, 2) ? 1e-10 : -1e-10) * (0.5 + random.uniform(t));
    default:  // either sign, remembered long
      return (random.below(t, 2) ? 1 : -1) * (1 - 0.01 * random.uniform(t));
  }
}

// Whole numbers: 1, -1, and rarely 0, so that an early b still counts at the end, and exactly.
void draw_a(Array& a, const Case& one_case, const Random& random) {
  if (one_case.values == Values::constant) {
    for (std::size_t i = 0; i < a.size(); ++i) a.set(i, 0.875);
    return;
  }
  for (std::size_t s = 0; s < sequences(one_case); ++s) {
    const Sequence sequence = sequence_of(one_case, s);
    const Random of_sequence = random.stream(s);
    for (std::size_t t = 0; t < sequence.length; ++t) {
      const double whole = of_sequence.below(t, 5000) == 0 ? 0
                           : of_sequence.below(t, 2) == 0  ? -1
                                                           : 1;
      a.set(sequence.first + t * sequence.stride,
            one_case.values == Values::whole_numbers ? whole : draw_step(s % 7, t, of_sequence));
    }
  }
}

// Errors of a right kernel, with u = 2^-24. With M_t = |a_t| M_(t-1) + |b_t|, each step rounds by
// at most u M_t, and that error then decays like h itself. The roundings are independent: squared,
// they add up to V_t = a_t^2 V_(t-1) + M_t^2, and 8 u sqrt(V_t) is allowed. In a tree, an error of
// a product of a's has as many factors as a sum has terms, and errs no more. If all a are the same
// number, so are the products that a tree squares again and again, and they err alike: u W_t more,
// with W_t = |a_t| (W_(t-1) + M_(t-1)).
// Where all a are -1, 0 or 1 and all b whole, nothing is rounded, up to 2^24.
Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const float> a = inputs[0].as<float>();
  const std::span<const float> b = inputs[1].as<float>();
  const double u = std::ldexp(1.0, -24);
  Expected h{.value = std::vector<double>(a.size()), .tolerance = std::vector<double>(a.size())};
  for (std::size_t s = 0; s < sequences(one_case); ++s) {
    const auto [first, stride, length] = sequence_of(one_case, s);
    bool whole = true, alike = length > 1;
    double value = 0, size = 0, squares = 0, common = 0, sum = 0;  // h, M, V, W and the sum of |b|
    for (std::size_t t = 0; t < length; ++t) {
      const std::size_t i = first + t * stride;
      const double factor = t == 0 ? 0 : a[i];
      whole = whole && b[i] == std::floor(b[i]) && (factor == 0 || std::abs(factor) == 1);
      alike = alike && (t == 0 || a[i] == a[first + stride]);
      common = std::abs(factor) * (common + size);
      size = std::abs(factor) * size + std::abs(b[i]);
      squares = factor * factor * squares + size * size;
      sum += std::abs(b[i]);
      value = factor * value + b[i];
      h.value[i] = value;
      const bool exact = whole && sum <= 1 / u;
      h.tolerance[i] =
          exact ? 0 : u * (8 * std::sqrt(squares) + (alike ? common : 0)) + std::ldexp(1.0, -110);
    }
  }
  return {h};
}

/// step(h_(t-1), a_(t-1), a_t, b_t) for t > 0, from h_0 = b_0.
template <class Step>
Mistake mistake(std::string what, Step step) {
  return {std::move(what), [step](const Inputs& inputs, const Case& one_case) {
            const Array &a = inputs[0], &b = inputs[1];
            Expected h{.value = std::vector<double>(a.size()),
                       .tolerance = std::vector<double>(a.size())};
            for (std::size_t s = 0; s < sequences(one_case); ++s) {
              const auto [first, stride, length] = sequence_of(one_case, s);
              h.value[first] = b[first];
              double size = std::abs(b[first]);
              for (std::size_t i = first + stride; i < first + length * stride; i += stride) {
                h.value[i] = step(h.value[i - stride], a[i - stride], a[i], b[i]);
                size = step(size, std::abs(a[i - stride]), std::abs(a[i]), std::abs(b[i]));
                h.tolerance[i] = 1e-5 * (std::abs(h.value[i]) + std::abs(size));
              }
            }
            return Outputs{h};
          }};
}

// As if the sequences of a channel were one, and as if length and channels were swapped.
Outputs with_shape(const Inputs& inputs, Case one_case, Shape shape) {
  one_case.shape = std::move(shape);
  return {reference(inputs, one_case)};
}
Outputs carried_to_next(const Inputs& inputs, const Case& one) {
  return with_shape(inputs, one, {1, one.shape[0] * one.shape[1], one.shape[2]});
}
Outputs along_channels(const Inputs& inputs, const Case& one) {
  return with_shape(inputs, one, {one.shape[0] * one.shape[1], one.shape[2], 1});
}
Outputs channels_outside(const Inputs& inputs, const Case& one) {
  return with_shape(inputs, one, {one.shape[0] * one.shape[2], one.shape[1], 1});
}

const std::vector<Mistake> mistakes{
    mistake("with a of the step before: a_(t-1) h_(t-1) + b_t",
            [](double h, double before, double, double b) { return before * h + b; }),
    mistake("if b were multiplied, too: a_t (h_(t-1) + b_t)",
            [](double h, double, double a, double b) { return a * (h + b); }),
    mistake("with the factor 1 - a_t for b_t",
            [](double h, double, double a, double b) { return a * h + (1 - a) * b; }),
    mistake("if a were ignored, as in a prefix sum",
            [](double h, double, double, double b) { return h + b; }),
    {"if each sequence of the batch went on from the one before it", carried_to_next},
    {"along the channels instead of the steps", along_channels},
    {"with the layout [batch, channels, length]", channels_outside},
};

// Two reads and one write. Operations for an element: a product and a sum.
Cost cost(const Shape& shape) {
  const double elements = static_cast<double>(shape[0]) * shape[1] * shape[2];
  return {.bytes_read = 8 * elements, .bytes_written = 4 * elements, .operations = 2 * elements};
}

// Lengths around a warp, a block and some tiles; channels that are no whole warp. Where a step
// forgets, a lost carry is hidden: whole numbers remember all steps, exactly.
REGISTER_PROBLEM({
    .name = "linear_recurrence",
    .summary = "h_t = a_t h_(t-1) + b_t along the steps of many sequences",
    .frequency = "medium",
    .difficulty = "hard",
    .signature = signature(input<float>("a", dims<0, 1, 2>, draw_a),
                           input<float>("b", dims<0, 1, 2>), output<float>("h", dims<0, 1, 2>),
                           integer("batch", 1, 1 << 20), integer("length", 1, 1 << 20),
                           integer("channels", 1, 1 << 20)),
    .cases = {{{1, 1, 1}},
              {{3, 2, 6}},
              {{2, 31, 33}},
              {{3, 33, 32}, Values::whole_numbers},
              {{2, 255, 7}},
              {{1, 300, 64}, Values::constant},
              {{2, 1025, 6}},
              {{3, 1030, 3}, Values::whole_numbers},
              {{1, 2100, 12}, Values::whole_numbers},
              {{130, 5, 1}, Values::outliers},
              {{1, 9001, 1}, Values::whole_numbers}},
    .large_cases = {{{2, 65537, 2}, Values::whole_numbers},
                    {{65537, 3, 2}},
                    {{2, 3, 65537}},
                    {{3, 4097, 257}},
                    {{1, 1 << 20, 1}, Values::whole_numbers},
                    {{5, 1000, 2050}, Values::whole_numbers}},
    .bench_shapes = {{8, 4096, 2048}, {64, 16384, 1}, {1, 65536, 64}, {8, 4096, 2047}},
    .drawn_values = {Values::normal, Values::whole_numbers, Values::positive},
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::linear_recurrence
