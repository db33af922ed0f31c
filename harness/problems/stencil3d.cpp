// stencil3d: steps of a 7-point stencil. A cell of the interior becomes
//   center * itself + neighbor * (the sum of its six neighbours),
// and a cell with any coordinate 0 or last keeps its value of `in`.
#include <algorithm>
#include <cmath>

#include "problems/spec/problem.h"
#include "problems/tolerance/dot_product.h"

namespace kata::problem::stencil3d {

using Field = std::vector<double>;

/// What a step does; the mistakes change something of it.
struct Rule {
  int depth, rows, cols, steps;
  double center, neighbor;
  bool in_place = false;       // neighbours before the cell in memory are new ones
  bool zero_outside = false;   // there is no fixed boundary: outside the field are zeros
  bool zero_boundary = false;  // the boundary becomes 0
  bool planes_apart = false;   // no neighbours in the planes above and below
  bool all_neighbors = false;  // all 26 cells around it

  std::ptrdiff_t at(int z, int y, int x) const {
    return (static_cast<std::ptrdiff_t>(z) * rows + y) * cols + x;
  }
  bool inside(int z, int y, int x) const {
    return z >= 0 && y >= 0 && x >= 0 && z < depth && y < rows && x < cols;
  }
  bool on_boundary(int z, int y, int x) const {
    return z == 0 || y == 0 || x == 0 || z == depth - 1 || y == rows - 1 || x == cols - 1;
  }
};

Rule rule_of(const Case& one_case) {
  const Shape& shape = one_case.shape;
  return {shape[0], shape[1], shape[2], shape[3], one_case.reals[0], one_case.reals[1]};
}

// Neighbours that are not inside are 0. The six neighbours are those at a distance of 1.
double sum_around(const Rule& rule, const Field& u, int z, int y, int x) {
  double sum = 0;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const int distance = std::abs(dz) + std::abs(dy) + std::abs(dx);
        if (distance == 0 || (distance > 1 && !rule.all_neighbors)) continue;
        if ((dz != 0 && rule.planes_apart) || !rule.inside(z + dz, y + dy, x + dx)) continue;
        sum += u[rule.at(z + dz, y + dy, x + dx)];
      }
  return sum;
}

Field after_steps(const Rule& rule, Field u) {
  for (int step = 0; step < rule.steps; ++step) {
    Field before;
    if (!rule.in_place) before = u;
    const Field& read = rule.in_place ? u : before;
    for (int z = 0; z < rule.depth; ++z)
      for (int y = 0; y < rule.rows; ++y)
        for (int x = 0; x < rule.cols; ++x) {
          const std::ptrdiff_t i = rule.at(z, y, x);
          if (rule.on_boundary(z, y, x) && !rule.zero_outside) {
            if (rule.zero_boundary) u[i] = 0;
            continue;
          }
          u[i] = rule.center * read[i] + rule.neighbor * sum_around(rule, read, z, y, x);
        }
  }
  return u;
}

// Most of a reference's time is here: the six neighbours without any question.
Field after_right_steps(const Rule& rule, Field u) {
  if (rule.depth < 3 || rule.rows < 3 || rule.cols < 3) return u;
  const std::ptrdiff_t row = rule.cols, plane = row * rule.rows;
  Field before = u;
  for (int step = 0; step < rule.steps; ++step) {
    std::swap(u, before);
    for (int z = 1; z < rule.depth - 1; ++z)
      for (int y = 1; y < rule.rows - 1; ++y)
        for (std::ptrdiff_t i = rule.at(z, y, 1); i < rule.at(z, y, rule.cols - 1); ++i) {
          const double sum = before[i - 1] + before[i + 1] + before[i - row] + before[i + row] +
                             before[i - plane] + before[i + plane];
          u[i] = rule.center * before[i] + rule.neighbor * sum;
        }
  }
  return u;
}

// Errors of a right kernel, with u = 2^-24. M is what the same steps make of the sizes |in| with
// the sizes of the factors. A step's seven operations round a cell by at most 7 u M; the steps that
// follow spread that error as they spread the field, so it stays below 7 u times M of the end. In
// the sum over the steps, roundings of either sign partly cancel: u (8 + 4 steps) M.
// Whole numbers with factors that are whole multiples of 1 / 8 become multiples of 1 / 8^steps, and
// nothing is rounded while these fit in 24 bits.
Outputs with_tolerance(const Rule& rule, const Inputs& inputs, Field value) {
  const std::span<const float> in = inputs[0].as<float>();
  Rule of_sizes = rule;
  of_sizes.center = std::abs(rule.center);
  of_sizes.neighbor = std::abs(rule.neighbor);
  Field sizes(in.size());
  std::ranges::transform(in, sizes.begin(), [](float v) { return std::abs(v); });
  sizes = after_right_steps(of_sizes, std::move(sizes));

  const double u = std::ldexp(1.0, -24);
  const auto eighths = [](double factor) { return 8 * factor == std::floor(8 * factor); };
  const double largest = *std::ranges::max_element(sizes);
  const bool exact = all_whole(in) && eighths(rule.center) && eighths(rule.neighbor) &&
                     largest * std::pow(8.0, rule.steps) <= 1 / u;
  for (double& size : sizes) size *= exact ? 0 : u * (8 + 4 * rule.steps);
  return {Expected{.value = std::move(value), .tolerance = std::move(sizes)}};
}

Field field_of(const Inputs& inputs) {
  const std::span<const float> in = inputs[0].as<float>();
  return {in.begin(), in.end()};
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  const Rule rule = rule_of(one_case);
  return with_tolerance(rule, inputs, after_right_steps(rule, field_of(inputs)));
}

template <class Change>
Mistake mistake(std::string what, Change change) {
  return {std::move(what), [change](const Inputs& inputs, const Case& one_case) {
            const Rule right = rule_of(one_case);
            Rule rule = right;
            change(rule);
            return with_tolerance(right, inputs, after_steps(rule, field_of(inputs)));
          }};
}

const std::vector<Mistake> mistakes{
    mistake("after one step more", [](Rule& rule) { ++rule.steps; }),
    mistake("if each step were done in place, in the order of memory",
            [](Rule& rule) { rule.in_place = true; }),
    mistake("if the boundary were updated, too, with 0 outside the field",
            [](Rule& rule) { rule.zero_outside = true; }),
    mistake("if the boundary were set to 0", [](Rule& rule) { rule.zero_boundary = true; }),
    mistake("without the neighbours in the planes above and below",
            [](Rule& rule) { rule.planes_apart = true; }),
    mistake("with all 26 cells around a cell", [](Rule& rule) { rule.all_neighbors = true; }),
    mistake("with center and neighbor swapped",
            [](Rule& rule) { std::swap(rule.center, rule.neighbor); }),
    mistake("with rows and cols swapped", [](Rule& rule) { std::swap(rule.rows, rule.cols); }),
};

// One read and one write, if all steps are done on the chip. Operations for a cell of the interior:
// five sums of neighbours, a product, a multiply-add.
Cost cost(const Shape& shape) {
  const double cells = static_cast<double>(shape[0]) * shape[1] * shape[2];
  const double interior =
      std::max(shape[0] - 2.0, 0.0) * std::max(shape[1] - 2.0, 0.0) * std::max(shape[2] - 2.0, 0.0);
  return {
      .bytes_read = 4 * cells, .bytes_written = 4 * cells, .operations = 8 * interior * shape[3]};
}

// Unlike sizes, or swapped strides would not show. Numbers of steps with every remainder of 2, 3
// and 4. A few cells that are not 0 show how far a step reaches.
REGISTER_PROBLEM({
    .name = "stencil3d",
    .summary = "steps of a 7-point stencil on a field",
    .frequency = "medium",
    .difficulty = "medium",
    .signature = signature(input<float>("in", dims<0, 1, 2>), output<float>("out", dims<0, 1, 2>),
                           integer("depth", 1, 1 << 20), integer("rows", 1, 1 << 20),
                           integer("cols", 1, 1 << 20), integer("steps", 1, 64),
                           real("center", 0.4f), real("neighbor", 0.1f)),
    .cases = {{{1, 1, 1, 3}},
              {{2, 9, 9, 2}},
              {{3, 3, 3, 2}},
              {{5, 7, 131, 3}, Values::whole_numbers, {0.25f, 0.125f}},
              {{33, 18, 70, 1}},
              {{12, 40, 129, 4}, Values::whole_numbers, {0.25f, 0.125f}},
              {{9, 67, 35, 5}, Values::outliers, {-0.25f, 0.125f}},
              {{40, 13, 12, 7}, Values::whole_numbers, {0.25f, 0.125f}},
              {{130, 5, 6, 2}},
              {{14, 37, 70, 8}, Values::mostly_zero},
              {{10, 21, 19, 16}}},
    .large_cases = {{{65537, 4, 5, 2}, Values::whole_numbers, {0.25f, 0.125f}},
                    {{70, 130, 258, 6}, Values::whole_numbers, {0.25f, 0.125f}},
                    {{3, 524289, 3, 3}},
                    {{257, 129, 131, 4}},
                    {{100, 101, 102, 13}}},
    .bench_shapes =
        {{512, 512, 512, 16}, {512, 512, 512, 1}, {256, 256, 256, 64}, {128, 128, 128, 64}},
    .drawn_values = {Values::normal, Values::mostly_zero, Values::whole_numbers},
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::stencil3d
