// spmv: y = A x for a sparse matrix A [rows, cols] with nnz entries, in CSR form
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "problems/spec/lengths.h"
#include "problems/spec/problem.h"
#include "problems/tolerance/dot_product.h"

namespace kata::problem::spmv {

Dims row_starts(const Shape& shape) {
  return {std::int64_t{shape[0]} + 1};
}

Shape nearest(Shape shape) {
  const std::int64_t rows = std::max(shape[0], 1);
  const std::int64_t cols = std::max(shape[1], 1);
  const std::int64_t most = std::min<std::int64_t>(rows * cols, std::numeric_limits<int>::max());
  return {static_cast<int>(rows), static_cast<int>(cols),
          static_cast<int>(std::clamp<std::int64_t>(shape[2], 0, most))};
}

Lengths one_dense_row(const Shape& shape, const Random& random) {
  Lengths lengths(shape[0]);
  std::int64_t& giant = lengths[random.below(0, lengths.size())];
  giant = std::min(shape[1], shape[2]);
  fill_up(lengths, shape[2] - giant, shape[1]);
  return lengths;
}

Lengths near_powers_of_two(const Shape& shape) {
  std::int64_t left = shape[2];
  Lengths lengths = kata::near_powers_of_two(shape[0], left, shape[1]);
  fill_up(lengths, left, shape[1]);
  return lengths;
}

void set_rows(const Lengths& lengths, std::span<int> row_start, std::span<int> col,
              std::int64_t cols, const Random& random) {
  row_start[0] = 0;
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    const std::int64_t length = lengths[row];
    row_start[row + 1] = row_start[row] + static_cast<int>(length);
    const Random place = random.stream(row);
    for (std::int64_t k = 0; k < length; ++k) {  // one in each of equal parts of the row
      const std::int64_t begin = k * cols / length;
      const std::int64_t end = (k + 1) * cols / length;
      col[row_start[row] + k] = static_cast<int>(begin + place.below(k, end - begin));
    }
  }
}

// The remainder of nnz / rows chooses the structure, so that `--size` can ask for each:
//   0  rows of equal length        1  one row as full as it can be, the others empty
//   2  a power law                 3  lengths next to powers of two
//   else  draw_csr: a giant row, empty ones, the rest about even
void arrange(Inputs& inputs, const Case& one_case, const Random& random) {
  const Shape& shape = one_case.shape;
  const std::span<int> row_start = inputs[0].as<int>();
  const std::span<int> col = inputs[1].as<int>();
  const int remainder = shape[2] % shape[0];
  if (remainder == 0) {
    const Lengths equal(shape[0], shape[2] / shape[0]);
    set_rows(equal, row_start, col, shape[1], random);
  } else if (remainder == 1) {
    set_rows(one_dense_row(shape, random), row_start, col, shape[1], random);
  } else if (remainder == 2) {
    set_rows(power_law(shape[0], shape[2], shape[1], random), row_start, col, shape[1], random);
  } else if (remainder == 3) {
    set_rows(near_powers_of_two(shape), row_start, col, shape[1], random);
  } else {
    draw_csr(row_start, col, shape[1], random);
  }
}

// Each row is a dot product of as many terms as it has entries. An empty row is exactly 0.
Outputs reference(const Inputs& inputs, const Case&) {
  const std::span<const int> row_start = inputs[0].as<int>();
  const std::span<const int> col = inputs[1].as<int>();
  const std::span<const float> value = inputs[2].as<float>();
  const std::span<const float> x = inputs[3].as<float>();
  const bool whole = all_whole(value) && all_whole(x);
  Expected y;
  for (std::size_t row = 0; row + 1 < row_start.size(); ++row) {
    Terms terms{.roundings = row_start[row + 1] - row_start[row], .whole = whole};
    for (int i = row_start[row]; i < row_start[row + 1]; ++i) {
      const double term = static_cast<double>(value[i]) * x[col[i]];
      terms.sum += term;
      terms.sum_of_sizes += std::abs(term);
      terms.sum_of_squares += term * term;
    }
    y.value.push_back(terms.sum);
    y.tolerance.push_back(dot_tolerance(terms));
  }
  return {y};
}

// A search that compares with < instead of <= takes the first entry of a row for one of the row
// before that has entries.
Outputs first_entries_before(const Inputs& inputs, const Case& one_case) {
  Inputs moved = inputs;
  const std::span<int> row_start = moved[0].as<int>();
  const int entries = row_start.back();
  for (int& start : row_start.subspan(1)) start += start > 0 && start < entries;
  return reference(moved, one_case);
}

const std::vector<Mistake> mistakes{
    {"if the first entry of each row were added to the row before", first_entries_before},
};

Cost cost(const Shape& shape) {
  const double rows = shape[0];
  const double cols = shape[1];
  const double nnz = shape[2];
  return {.bytes_read = 8 * nnz + 4 * (rows + 1) + 4 * cols,
          .bytes_written = 4 * rows,
          .operations = 2 * nnz};
}

// Sizes: no entry at all; rows of 32 entries, and next to each power of two; runs of empty
// rows; a giant row among short and among empty ones, also where a tile's length divides the
// entries and rows follow the last; one row; a dense matrix; more rows than a grid has blocks along
// y.
REGISTER_PROBLEM({
    .name = "spmv",
    .summary = "a sparse matrix in CSR form times a vector",
    .frequency = "medium",
    .difficulty = "hard",
    .signature = signature(input<int>("row_start", row_starts), input<int>("col", dims<2>),
                           input<float>("value", dims<2>), input<float>("x", dims<1>),
                           output<float>("y", dims<0>), integer("rows", 1, 1 << 22),
                           integer("cols", 1, 1 << 22), integer("nnz", 0, 1 << 26)),
    .limits = {"0 <= nnz <= rows * cols", nearest},
    .cases = {{{1, 1, 1}},
              {{3, 5, 0}},
              {{65, 64, 32 * 65}},
              {{3001, 100, 40}},
              {{301, 6000, 12000}, Values::whole_numbers},
              {{300, 5000, 4801}},
              {{700, 900, 6302}},
              {{39, 5000, 4096}},
              {{22, 2100, 12213}, Values::outliers},
              {{1, 3001, 3001}},
              {{40, 50, 2000}, Values::whole_numbers},
              {{65600, 3, 7}}},
    .large_cases = {{{1030, 4200, 1030 * 4100}},  // many long rows
                    {{2100, 700, 2100 * 515}, Values::whole_numbers},
                    {{1 << 16, 1 << 20, (1 << 20) + 4}, Values::whole_numbers},
                    {{1 << 16, 1 << 16, (1 << 22) + 2}},
                    {{3, 1 << 20, (1 << 20) + 5}, Values::whole_numbers}},
    .bench_shapes = {{1 << 20, 1 << 20, 1 << 24},
                     {1 << 20, 1 << 20, 12 * (1 << 20) + 2},
                     {1 << 20, 1 << 22, (1 << 22) + 1}},
    .arrange = arrange,
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::spmv
