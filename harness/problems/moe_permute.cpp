// moe_permute: the rows of a batch, copied in the order of the experts that they are assigned to.
// Assignment a = t k + j sends token t to expert[t][j]. offsets[e] is the number of assignments to
// experts below e; position[a] is offsets[expert[a]] plus the number of earlier assignments to the
// same expert; row position[a] of y is row t of x, bit for bit.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>

#include "problems/spec/problem.h"

namespace kata::problem::moe_permute {

Dims permuted(const Shape& shape) {
  return {std::int64_t{shape[0]} * shape[3], shape[1]};
}

Dims bounds(const Shape& shape) {
  return {std::int64_t{shape[2]} + 1};
}

// N(0, 1) in every case, with numbers that arithmetic changes or flushes, and the largest of the
// type.
void draw_rows(Array& x, const Case& one_case, const Random& random) {
  const auto most = static_cast<float>(largest_finite(Type::bf16));
  draw::with_special({-0.0f, 1e-40f, most, -3e-39f, -most})(x, {.shape = one_case.shape}, random);
}

// Any experts, except:
//   skewed         in proportion to 1 / rank: one expert has most of them
//   few_distinct   the same expert in all slots of a token
//   outliers       two of three experts have no token, nor have the first and the last
//   largest_last   all to the last expert
//   whole_numbers  one after the other
void draw_experts(Array& array, const Case& one_case, const Random& random) {
  draw::below(2)(array, one_case, random);
  const std::span<int> expert = array.as<int>();
  const int experts = one_case.shape[2];
  const auto count = static_cast<std::uint64_t>(experts);
  const std::size_t k = one_case.shape[3];
  const auto fill = [&](const std::function<std::uint64_t(std::size_t)>& expert_of) {
    for (std::size_t a = 0; a < expert.size(); ++a) expert[a] = static_cast<int>(expert_of(a));
  };
  switch (one_case.values) {
    case Values::skewed: {
      const std::uint64_t first = random.stream(1).below(0, count);
      return fill([&](std::size_t a) {
        return (static_cast<std::uint64_t>(std::pow(experts + 1.0, random.uniform(a))) - 1 +
                first) %
               count;
      });
    }
    case Values::few_distinct:
      return fill([&](std::size_t a) { return random.below(a / k, count); });
    case Values::outliers:
      if (experts < 3) return;
      return fill([&](std::size_t a) { return 1 + 3 * random.below(a, count / 3); });
    case Values::largest_last:
      return fill([&](std::size_t) { return count - 1; });
    case Values::whole_numbers:
      return fill([&](std::size_t a) { return a % count; });
    default:
      return;
  }
}

// The places of the assignments, handed out in their order, and everything that follows from them.
Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const Bfloat16> x = inputs[0].as<Bfloat16>();
  const std::span<const int> expert = inputs[1].as<int>();
  const std::size_t dim = one_case.shape[1], experts = one_case.shape[2], k = one_case.shape[3];
  std::vector<std::size_t> next(experts + 1);
  for (const int e : expert) ++next[static_cast<std::size_t>(e) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());

  Expected y{.value = std::vector<double>(expert.size() * dim), .keeps_sign_of_zero = true};
  const Expected offsets{.value = {next.begin(), next.end()}};
  Expected position{.value = std::vector<double>(expert.size())};
  for (std::size_t a = 0; a < expert.size(); ++a) {
    const std::size_t place = next[static_cast<std::size_t>(expert[a])]++;
    position.value[a] = static_cast<double>(place);
    const std::span<const Bfloat16> row = x.subspan(a / k * dim, dim);
    std::ranges::copy(row, y.value.begin() + static_cast<std::ptrdiff_t>(place * dim));
  }
  return {y, offsets, position};
}

Outputs inverse_position(const Inputs& inputs, const Case& one_case) {
  Outputs outputs = reference(inputs, one_case);
  const std::vector<double> position = outputs[2].value;
  for (std::size_t a = 0; a < position.size(); ++a) {
    outputs[2].value[static_cast<std::size_t>(position[a])] = static_cast<double>(a);
  }
  return outputs;
}

Outputs ends_as_offsets(const Inputs& inputs, const Case& one_case) {
  Outputs outputs = reference(inputs, one_case);
  std::vector<double>& offsets = outputs[1].value;
  std::copy(offsets.begin() + 1, offsets.end(), offsets.begin());
  return outputs;
}

Outputs counts_as_offsets(const Inputs& inputs, const Case& one_case) {
  Outputs outputs = ends_as_offsets(inputs, one_case);
  std::vector<double>& offsets = outputs[1].value;
  std::adjacent_difference(offsets.begin(), offsets.end() - 1, offsets.begin());
  return outputs;
}

const std::vector<Mistake> mistakes{
    {"if position held the assignment of each row of y, not the row of each assignment",
     inverse_position},
    {"if offsets held the end of each expert's rows, not their beginning", ends_as_offsets},
    {"if offsets held the number of each expert's rows", counts_as_offsets},
};

// Each row of x is read once and written k times.
Cost cost(const Shape& shape) {
  const double tokens = shape[0], dim = shape[1], experts = shape[2], k = shape[3];
  return {.bytes_read = 2 * tokens * dim + 4 * tokens * k,
          .bytes_written = 2 * tokens * k * dim + 4 * tokens * k + 4 * (experts + 1),
          .operations = tokens * k};
}

Shape nearest(Shape shape) {
  for (int& size : shape) size = std::max(size, 1);
  return {shape[0], shape[1], std::min(shape[2], 1024), std::min(shape[3], 16)};
}

// Everything is exact: places are whole numbers, and y is a copy. Numbers of assignments next to
// tiles of 1024, numbers of experts next to blocks of 256, more experts than tokens, k = experts, k
// above experts, rows that are no multiple of 16 bytes, and more than 2^16 tokens for one expert.
REGISTER_PROBLEM({
    .name = "moe_permute",
    .summary = "rows grouped by the experts that they are assigned to, and where each one went",
    .frequency = "medium",
    .difficulty = "medium",
    .signature = signature(input<Bfloat16>("x", dims<0, 1>, draw_rows),
                           input<int>("expert", dims<0, 3>, draw_experts),
                           output<Bfloat16>("y", permuted), output<int>("offsets", bounds),
                           output<int>("position", dims<0, 3>), integer("tokens", 1, 1 << 20),
                           integer("dim", 1, 16384), integer("experts", 1, 1024),
                           integer("k", 1, 16)),
    .limits = {"experts <= 1024 and k <= 16", nearest},
    .most_elements = std::int64_t{1} << 32,
    .cases = {{{1, 1, 1, 1}},
              {{5, 7, 3, 3}},
              {{33, 8, 2, 16}, Values::few_distinct},
              {{3, 9, 1024, 2}},
              {{257, 9, 256, 8}, Values::skewed},
              {{512, 1, 8, 2}},
              {{43, 40, 257, 2}, Values::outliers},
              {{1025, 2, 7, 1}, Values::constant},
              {{1023, 3, 255, 1}, Values::largest_last},
              {{300, 16, 16, 2}, Values::whole_numbers},
              {{130, 5, 64, 6}, Values::sorted},
              {{1500, 1, 600, 2}, Values::descending},
              {{19, 4104, 8, 2}},
              {{65537, 1, 4, 1}, Values::lowest}},
    .large_cases = {{{4096, 256, 256, 8}},
                    {{70001, 33, 128, 2}, Values::skewed},
                    {{300001, 1, 1024, 4}},
                    {{1 << 20, 8, 64, 1}, Values::few_distinct}},
    .bench_shapes =
        {{4096, 7168, 256, 8}, {4096, 4096, 8, 2}, {128, 7168, 256, 8}, {16384, 2048, 64, 6}},
    .drawn_values = {Values::uniform, Values::skewed, Values::few_distinct},
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::moe_permute
