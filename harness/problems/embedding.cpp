// embedding: row t of y[n, dim] is row ids[t] of table[vocabulary, dim]
#include <algorithm>
#include <cmath>

#include "problems/spec/problem.h"

namespace kata::problem::embedding {

// The first and the last row of the table are always among those that are read.
void draw_ids(Array& ids, const Case& one_case, const Random& random) {
  draw::below(1)(ids, one_case, random);
  const std::span<int> tokens = ids.as<int>();
  tokens.back() = one_case.shape[1] - 1;
  if (tokens.size() > 1) tokens.front() = 0;
}

// N(0, 1) in every case, and what arithmetic changes or flushes.
void draw_table(Array& table, const Case& one_case, const Random& random) {
  draw::any_bits()(table, {.shape = one_case.shape}, random);
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const int> ids = inputs[0].as<int>();
  const std::span<const float> table = inputs[1].as<float>();
  const std::size_t dim = one_case.shape[2];
  Expected y{.value = {}, .keeps_sign_of_zero = true};  // a copy
  y.value.reserve(ids.size() * dim);
  for (std::size_t id : ids) {
    const std::span<const float> row = table.subspan(id * dim, dim);
    y.value.insert(y.value.end(), row.begin(), row.end());
  }
  return {y};
}

// Each row that is used is read once. n draws of `vocabulary` ids are expected to hit this many
// different ones: vocabulary (1 - (1 - 1 / vocabulary)^n).
Cost cost(const Shape& shape) {
  const double n = shape[0], vocabulary = shape[1], dim = shape[2];
  const double distinct = -vocabulary * std::expm1(n * std::log1p(-1 / vocabulary));
  return {.bytes_read = 4 * n + 4 * distinct * dim, .bytes_written = 4 * n * dim, .operations = 0};
}

REGISTER_PROBLEM({
    .name = "embedding",
    .summary = "rows of a table, chosen by token ids",
    .frequency = "medium",
    .difficulty = "easy",
    .signature = signature(input<int>("ids", dims<0>, draw_ids),
                           input<float>("table", dims<1, 2>, draw_table),
                           output<float>("y", dims<0, 2>), integer("n", 1, 1 << 22),
                           integer("vocabulary", 1, 262144), integer("dim", 1, 8960)),
    .most_elements = std::int64_t{1} << 32,
    .cases = {{{1, 1, 1}},
              {{7, 5, 3}},
              {{65537, 70001, 1}},  // more tokens than gridDim.y has, ids of more than 16 bits
              {{131, 40, 127}, Values::skewed},
              {{1030, 300, 8}},
              {{130, 33, 128}, Values::sorted},
              {{77, 20, 1028}},
              {{70, 20, 2052}},
              {{5, 3, 5002}, Values::constant}},
    .large_cases = {{{20001, 30011, 1024}}, {{300001, 50304, 33}}},
    .bench_shapes = {{16384, 50304, 4096}, {16384, 50304, 1024}, {1 << 20, 50304, 8}},
    .drawn_values = {Values::uniform, Values::skewed, Values::few_distinct},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::embedding
