// topk_rows: of each row the k largest elements, descending, and their columns; of equal elements
// the lower column first
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "problems/spec/problem.h"

namespace kata::problem::topk_rows {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float largest = std::numeric_limits<float>::max();

// Makes elements at up to `count` columns larger than all others: columns of one remainder mod
// `step`, or neighbours if that is 1, from column `first` on.
void raise(std::span<float> row, std::size_t first, std::size_t step, std::size_t count,
           const Random& random) {
  for (std::size_t c = first; c < row.size() && count > 0; c += step, --count) {
    row[c] = static_cast<float>(100 + random.uniform(c));
  }
}

// The rows of a normal case, by number. Each breaks some way to select: ties at the cut, numbers
// that a careless filler beats, orders in which a running list is never right, and winners that
// all belong to the same thread.
void draw_row(std::span<float> row, std::size_t kind, std::size_t k, const Random& random) {
  const std::size_t cols = row.size();
  const auto fill = [&](auto element) {
    for (std::size_t c = 0; c < cols; ++c) row[c] = static_cast<float>(element(c));
  };
  switch (kind) {
    case 1:  // all equal
      return fill([](std::size_t) { return -2; });
    case 2:  // two numbers: the cut is inside a run of ties
      return fill([&](std::size_t c) { return random.below(c, 2); });
    case 3:  // zeros of both signs, which are equal
      return fill([&](std::size_t c) { return random.below(c, 2) ? 0.0f : -0.0f; });
    case 4:  // masked out altogether
      return fill([](std::size_t) { return -infinity; });
    case 5:  // fewer finite numbers than k
      return fill([&](std::size_t c) {
        return random.below(c, cols) < (k + 1) / 2 ? -1e30f * static_cast<float>(1 + c % 7)
                                                   : -infinity;
      });
    case 6:  // the lowest float is larger than -infinity
      return fill([&](std::size_t c) { return random.below(c, 2) ? -largest : -infinity; });
    case 7:
      return fill([&](std::size_t c) { return -1 - std::fabs(row[c]); });
    case 8:
      return std::sort(row.begin(), row.end());
    case 9:
      return std::sort(row.rbegin(), row.rend());
    case 10:  // the winners are in one lane, in one thread of 128, 256 or 1024
      return raise(row, random.below(0, std::min<std::size_t>(cols, 32)), 32, k, random);
    case 11:
      return raise(row, random.below(0, std::min<std::size_t>(cols, 128)),
                   random.below(1, 2) ? 128 : 256, k, random);
    case 12:
      return raise(row, random.below(0, std::min<std::size_t>(cols, 1024)), 1024, k, random);
    case 13:  // the winners come last
      return raise(row, cols - std::min<std::size_t>(cols, 5), 1, 5, random);
    case 14:  // equal in their leading 22 bits
      return fill([&](std::size_t c) {
        return std::bit_cast<float>(0x3f800000 + static_cast<int>(random.below(c, 1024)));
      });
    case 15:  // equal in their leading 11 bits, and negative
      return fill([&](std::size_t c) {
        return -std::bit_cast<float>(0x3f800000 + static_cast<int>(random.below(c, 1 << 20)));
      });
    default:
      return;
  }
}

void draw_x(Array& x, const Case& one_case, const Random& random) {
  draw::as_the_case_says()(x, one_case, random);
  if (one_case.values != Values::normal) return;
  const std::size_t cols = one_case.shape[1];
  const std::size_t k = one_case.shape[2];
  for (std::size_t row = 0; row * cols < x.size(); ++row) {
    draw_row(x.as<float>().subspan(row * cols, cols), (row + cols + k) % 16, k, random.stream(row));
  }
}

// By descending value; of equal ones, which -0 and 0 are, the lower column first, or the higher.
Outputs select(const Inputs& inputs, const Case& one_case, bool lower_first) {
  const std::span<const float> x = inputs[0].as<float>();
  const std::size_t cols = one_case.shape[1];
  const int k = one_case.shape[2];
  Expected values, indices;  // both exact
  std::vector<int> order(cols);
  for (std::size_t first = 0; first < x.size(); first += cols) {
    const std::span<const float> row = x.subspan(first, cols);
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int a, int b) {
      return row[a] > row[b] || (row[a] == row[b] && (lower_first ? a < b : a > b));
    });
    for (int i = 0; i < k; ++i) {
      values.value.push_back(row[order[i]]);
      indices.value.push_back(order[i]);
    }
  }
  return {values, indices};
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  return select(inputs, one_case, true);
}

Outputs smallest(const Inputs& inputs, const Case& one_case) {
  Inputs negated = inputs;
  for (float& value : negated[0].as<float>()) value = -value;
  Outputs outputs = select(negated, one_case, true);
  for (double& value : outputs[0].value) value = -value;
  return outputs;
}

Outputs by_size(const Inputs& inputs, const Case& one_case) {
  Inputs sizes = inputs;
  for (float& value : sizes[0].as<float>()) value = std::fabs(value);
  Outputs outputs = select(sizes, one_case, true);
  const std::size_t cols = one_case.shape[1], k = one_case.shape[2];
  for (std::size_t i = 0; i < outputs[0].value.size(); ++i) {
    outputs[0].value[i] = inputs[0][i / k * cols + static_cast<std::size_t>(outputs[1].value[i])];
  }
  return outputs;
}

Outputs ascending(const Inputs& inputs, const Case& one_case) {
  Outputs outputs = select(inputs, one_case, true);
  const auto k = static_cast<std::ptrdiff_t>(one_case.shape[2]);
  for (Expected& output : outputs) {
    for (auto row = output.value.begin(); row != output.value.end(); row += k) {
      std::reverse(row, row + k);
    }
  }
  return outputs;
}

Outputs places_in_matrix(const Inputs& inputs, const Case& one_case) {
  Outputs outputs = select(inputs, one_case, true);
  const std::size_t cols = one_case.shape[1], k = one_case.shape[2];
  for (std::size_t i = 0; i < outputs[1].value.size(); ++i) {
    outputs[1].value[i] += static_cast<double>(i / k * cols);
  }
  return outputs;
}

const std::vector<Mistake> mistakes{
    {"if of equal elements the higher column came first",
     [](const Inputs& inputs, const Case& one_case) { return select(inputs, one_case, false); }},
    {"if each row were in ascending order", ascending},
    {"if the smallest elements were selected", smallest},
    {"if the elements of the largest magnitude were selected", by_size},
    {"if indices counted from the start of the matrix, not of the row", places_in_matrix},
};

// A comparison per element. What a selection needs beyond that depends on its values.
Cost cost(const Shape& shape) {
  const double rows = shape[0], cols = shape[1], k = shape[2];
  return {.bytes_read = 4 * rows * cols, .bytes_written = 8 * rows * k, .operations = rows * cols};
}

Shape nearest(Shape shape) {
  for (int& size : shape) size = std::max(size, 1);
  return {shape[0], shape[1], std::min({shape[2], shape[1], 256})};
}

// Each kind of row with k = 1, with k = cols, and with k around a warp and up to 256; rows that are
// no multiple of 4, and columns that 16 bits do not hold. The order of a `sorted` or `descending`
// case goes through all rows, so that no row has the threshold of its neighbour.
REGISTER_PROBLEM({
    .name = "topk_rows",
    .summary = "the k largest elements of each row, and their columns",
    .frequency = "high",
    .difficulty = "hard",
    .selects = true,
    .signature = signature(input<float>("x", dims<0, 1>, draw_x),
                           output<float>("values", dims<0, 2>), output<int>("indices", dims<0, 2>),
                           integer("rows", 1, 1 << 20), integer("cols", 1, 1 << 17),
                           integer("k", 1, 256)),
    .limits = {"1 <= k <= cols and k <= 256", nearest},
    .cases = {{{1, 1, 1}},
              {{5, 2, 2}},
              {{17, 33, 33}},
              {{19, 31, 1}},
              {{4, 300, 31}, Values::descending},
              {{3, 513, 32}, Values::few_distinct},
              {{16, 1000, 33}},
              {{5, 259, 255}, Values::sorted},
              {{3, 256, 256}, Values::whole_numbers},
              {{16, 1100, 64}},
              {{17, 2049, 8}, Values::mostly_zero},
              {{2, 4097, 256}, Values::sorted},
              {{1, 70000, 13}}},
    .large_cases = {{{70001, 3, 2}},
                    {{33, 131072, 256}},
                    {{3, 131071, 256}, Values::sorted},
                    {{5, 131072, 64}, Values::few_distinct},
                    {{4099, 1024, 32}}},
    .bench_shapes = {{1024, 131072, 64}, {4096, 4096, 64}, {64, 131072, 64}, {4096, 4096, 8}},
    .drawn_values = {Values::normal, Values::few_distinct, Values::large_magnitude},
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::topk_rows
