// layernorm_backward: the gradients of layernorm by x, gamma and beta. With g = gamma dy and
// xh = (x - mean) / sd, sd = sqrt(var + eps):
//   dx     = (g - mean(g) - xh mean(g xh)) / sd, means over the row
//   dgamma = sum of dy xh, dbeta = sum of dy, sums over the rows
#include <cmath>

#include "problems/spec/problem.h"
#include "problems/tolerance/dot_product.h"

namespace kata::problem::layernorm_backward {

// A constant case has rows of 1234.5, whose squares round in float, and rows of 0, where xh is 0
// and dx shows where eps belongs. Whole numbers are dy's alone: a few squares, added up again and
// again, err alike.
void draw_x(Array& x, const Case& one_case, const Random& random) {
  Case of_x = one_case;
  if (of_x.values == Values::whole_numbers) of_x.values = Values::normal;
  draw::as_the_case_says()(x, of_x, random);
  if (one_case.values != Values::constant) return;
  const std::size_t cols = one_case.shape[1];
  for (std::size_t i = 0; i < x.size(); ++i) x.set(i, i / cols % 2 == 0 ? 1234.5 : 0);
}

// A large mean is x's alone: in dy it would only cancel.
void draw_dy(Array& dy, const Case& one_case, const Random& random) {
  Case of_dy = one_case;
  if (of_dy.values == Values::large_mean) of_dy.values = Values::normal;
  draw::as_the_case_says()(dy, of_dy, random);
}

/// What a mistake changes in the formula.
struct Change {
  bool without_mean_g = false, without_mean_gxh = false, gamma_last = false;
  bool gamma_in_dgamma = false, means_over_rows = false, unbiased = false, eps_outside = false;
};

struct Statistics {
  double mean, sd;
};

Statistics statistics_of(std::span<const float> row, double eps, const Change& change) {
  const double cols = static_cast<double>(row.size());
  double sum = 0, squares = 0;
  for (double value : row) sum += value;
  const double mean = sum / cols;
  for (double value : row) squares += (value - mean) * (value - mean);
  const double variance = squares / (change.unbiased ? std::max(cols - 1, 1.0) : cols);
  return {mean, change.eps_outside ? std::sqrt(variance) + eps : std::sqrt(variance + eps)};
}

Terms terms_of(double count, double extra) {
  return {.roundings = static_cast<int>(count + extra)};
}

void add(Terms& terms, double term) {
  terms.sum += term;
  terms.sum_of_sizes += std::abs(term);
  terms.sum_of_squares += term * term;
}

/// One row: its dx, and what it adds to the sums down the columns.
struct Row {
  std::span<const float> x, gamma, dy;
  double eps;

  std::size_t cols() const { return x.size(); }
  double g(std::size_t c) const { return static_cast<double>(gamma[c]) * dy[c]; }
};

Row row_of(const Inputs& inputs, const Case& one_case, std::size_t first) {
  const std::size_t cols = one_case.shape[1];
  return {inputs[0].as<float>().subspan(first, cols), inputs[1].as<float>(),
          inputs[2].as<float>().subspan(first, cols), one_case.reals[0]};
}

// Errors of a right kernel in a row, with u = 2^-24 and s = max(8, sqrt(cols)); norm_tolerance.h
// explains the first two:
//   c   = 2 s u (|mean| / sd + 1): of the mean, divided by sd. It shifts all xh of the row alike,
//         which moves dx by c mean(g xh) and c xh mean(g) only, and in second order by c^2 mean(g)
//         and, through the variance, c^2 of itself: all there is in a row of equal numbers.
//   v   = 2 s u, relative: of 1 / sd. Welford's updates round the mean at each step, by u |mean|,
//         which moves one term of the variance each: 8 u |mean| / sd / sqrt(cols) more.
//   of_mean_g, of_mean_gxh: of the two dot products. sum(g x) - mean sum(g) is as good as
//         sum(g (x - mean)): its error is of first order in mean / sd.
//   the rest: 4 u of g, 8 u of the other terms.
struct RowError {
  double c, v, mean_g, mean_gxh, of_mean_g, of_mean_gxh;
};

RowError error_of(const Row& row, const Statistics& statistics) {
  const double u = std::ldexp(1.0, -24);
  const double cols = static_cast<double>(row.cols());
  const double s = std::max(8.0, std::sqrt(cols));
  const double ratio = std::abs(statistics.mean) / statistics.sd;
  Terms g = terms_of(cols, 1), gxh = terms_of(cols, 3);
  for (std::size_t c = 0; c < row.cols(); ++c) {
    add(g, row.g(c));
    add(gxh, row.g(c) * (row.x[c] - statistics.mean) / statistics.sd);
  }
  const double of_g = dot_tolerance(g);
  return {.c = 2 * s * u * (ratio + 1),
          .v = 2 * s * u + 8 * u * ratio / std::sqrt(cols),
          .mean_g = g.sum / cols,
          .mean_gxh = gxh.sum / cols,
          .of_mean_g = of_g / cols,
          .of_mean_gxh = (dot_tolerance(gxh) + ratio * of_g) / cols};
}

double tolerance_of_dx(const RowError& error, double g, double xh, double sd) {
  const double u = std::ldexp(1.0, -24);
  const double m1 = error.mean_g, m2 = error.mean_gxh;
  const double bracket = std::abs(g - m1 - xh * m2);
  return (4 * u * std::abs(g) + error.of_mean_g + std::abs(xh) * error.of_mean_gxh +
          error.c * (std::abs(m2) + std::abs(xh * m1)) +
          error.c * error.c * (std::abs(m1) + bracket) +
          error.v * (bracket + 2 * std::abs(xh * m2)) +
          8 * u * (std::abs(m1) + std::abs(xh * m2))) /
             sd +
         std::ldexp(1.0, -126);
}

Outputs values_of(const Inputs& inputs, const Case& one_case, const Change& change) {
  const std::size_t rows = one_case.shape[0], cols = one_case.shape[1];
  Expected dx{.value = std::vector<double>(rows * cols)};
  Expected dgamma{.value = std::vector<double>(cols)}, dbeta{.value = std::vector<double>(cols)};
  for (std::size_t first = 0; first < rows * cols; first += cols) {
    const Row row = row_of(inputs, one_case, first);
    const auto [mean, sd] = statistics_of(row.x, row.eps, change);
    const auto weighted = [&](std::size_t c) { return change.gamma_last ? row.dy[c] : row.g(c); };
    double m1 = 0, m2 = 0;
    for (std::size_t c = 0; c < cols; ++c) {
      const double xh = (row.x[c] - mean) / sd;
      m1 += change.without_mean_g ? 0 : weighted(c) / static_cast<double>(cols);
      m2 += change.without_mean_gxh ? 0 : weighted(c) * xh / static_cast<double>(cols);
    }
    for (std::size_t c = 0; c < cols; ++c) {
      const double xh = (row.x[c] - mean) / sd;
      const double last = change.gamma_last ? row.gamma[c] : 1;
      dx.value[first + c] = last * (weighted(c) - m1 - xh * m2) / sd;
      dgamma.value[c] += xh * (change.gamma_in_dgamma ? row.g(c) : row.dy[c]);
      dbeta.value[c] += row.dy[c];
    }
  }
  for (std::size_t c = 0; c < cols && change.means_over_rows; ++c) {
    dgamma.value[c] /= static_cast<double>(rows);
    dbeta.value[c] /= static_cast<double>(rows);
  }
  return {dx, dgamma, dbeta};
}

// dgamma: a dot product of dy and xh whose terms are off by |dy| c + |dy xh| v. Rows err apart, so
// these add up like the root of the sum of squares, but for constant rows, which err alike.
Outputs gradients(const Inputs& inputs, const Case& one_case, const Change& change) {
  const std::size_t rows = one_case.shape[0], cols = one_case.shape[1];
  Outputs outputs = values_of(inputs, one_case, change);
  outputs[0].tolerance.resize(rows * cols);
  std::vector<Terms> of_gamma(cols, terms_of(static_cast<double>(rows), 8));
  const std::span<const float> dy = inputs[2].as<float>();
  const Terms of_dy{
      .roundings = static_cast<int>(rows), .equal = all_equal(dy), .whole = all_whole(dy)};
  std::vector<Terms> of_beta(cols, of_dy);
  std::vector<double> errors(cols), squared_errors(cols);
  for (std::size_t first = 0; first < rows * cols; first += cols) {
    const Row row = row_of(inputs, one_case, first);
    const Statistics statistics = statistics_of(row.x, row.eps, change);
    const RowError error = error_of(row, statistics);
    for (std::size_t c = 0; c < cols; ++c) {
      const double xh = (row.x[c] - statistics.mean) / statistics.sd;
      outputs[0].tolerance[first + c] = tolerance_of_dx(error, row.g(c), xh, statistics.sd);
      add(of_gamma[c], row.dy[c] * xh);
      add(of_beta[c], row.dy[c]);
      const double moved = std::abs(row.dy[c]) * (error.c + std::abs(xh) * error.v);
      errors[c] += moved;
      squared_errors[c] += moved * moved;
    }
  }
  for (std::size_t c = 0; c < cols; ++c) {
    const double moved =
        one_case.values == Values::constant ? errors[c] : 2 * std::sqrt(squared_errors[c]);
    outputs[1].tolerance.push_back(dot_tolerance(of_gamma[c]) + moved + std::ldexp(1.0, -126));
    outputs[2].tolerance.push_back(dot_tolerance(of_beta[c]));
  }
  return outputs;
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  return gradients(inputs, one_case, {});
}

Mistake mistake(std::string what, Change change) {
  return {std::move(what), [change](const Inputs& inputs, const Case& one_case) {
            return gradients(inputs, one_case, change);
          }};
}

const std::vector<Mistake> mistakes{
    mistake("without the term xh mean(g xh), as if the deviation did not depend on x",
            {.without_mean_gxh = true}),
    mistake("without the term mean(g), as if the mean did not depend on x",
            {.without_mean_g = true}),
    mistake("without both means, as if mean and deviation did not depend on x",
            {.without_mean_g = true, .without_mean_gxh = true}),
    mistake("with the means taken of dy, and gamma applied to the result", {.gamma_last = true}),
    mistake("with gamma as a factor of dgamma", {.gamma_in_dgamma = true}),
    mistake("with means over the rows instead of sums", {.means_over_rows = true}),
    mistake("with the unbiased variance, divided by cols - 1", {.unbiased = true}),
    mistake("with eps added to the deviation, not to the variance", {.eps_outside = true}),
};

// Two reads and one write, where a row fits on the chip. Operations for an element: a sum for the
// mean, a difference, a product and a sum for the variance, the product g, two sums and a product
// for its means, two products and differences for dx, two sums and a product for the columns.
Cost cost(const Shape& shape) {
  const double rows = shape[0], cols = shape[1];
  return {.bytes_read = 8 * rows * cols + 4 * cols,
          .bytes_written = 4 * rows * cols + 8 * cols,
          .operations = 15 * rows * cols};
}

// Many rows of few columns fill what a kernel keeps per block or per slice of rows. Whole numbers
// make dbeta exact, so that one lost row shows there.
REGISTER_PROBLEM({
    .name = "layernorm_backward",
    .summary = "the gradients of layernorm by its input, gamma and beta",
    .frequency = "medium",
    .difficulty = "hard",
    .signature = signature(input<float>("x", dims<0, 1>, draw_x),
                           input<float>("gamma", dims<1>, draw::around(1, 0.5)),
                           input<float>("dy", dims<0, 1>, draw_dy), output<float>("dx", dims<0, 1>),
                           output<float>("dgamma", dims<1>), output<float>("dbeta", dims<1>),
                           integer("rows", 1, 1 << 20), integer("cols", 1, 131072),
                           real("eps", 1e-5f)),
    .cases = {{{3, 1}},
              {{5, 2}, Values::normal, {0.5f}},
              {{130, 33}},
              {{1, 300}, Values::large_mean},
              {{5, 768}, Values::constant},
              {{2100, 5}, Values::whole_numbers},
              {{3, 1023}, Values::outliers, {1e-3f}},
              {{67, 260}, Values::whole_numbers, {3.0f}},
              {{2, 4100}, Values::large_mean},
              {{2, 18001}}},
    .large_cases = {{{65537, 2}, Values::whole_numbers},
                    {{1 << 20, 3}, Values::whole_numbers},
                    {{4097, 1023}},
                    {{2049, 4096}, Values::large_mean},
                    {{3, 66001}},
                    {{9, 131072}, Values::whole_numbers}},
    .bench_shapes = {{8192, 4096}, {65536, 256}, {512, 131072}, {4096, 1023}},
    .drawn_values = {Values::normal, Values::large_mean, Values::outliers},
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
    .cancels = "the variance mean(x^2) - mean(x)^2",
});

}  // namespace kata::problem::layernorm_backward
