// cross_entropy: loss[0] = mean over the rows of logits[n, classes] of log(sum of exp(logit)) minus
// the logit of the row's label
#include <algorithm>
#include <cfloat>
#include <cmath>

#include "problems/spec/problem.h"
#include "problems/tolerance/softmax_tolerance.h"

namespace kata::problem::cross_entropy {

// The first and the last class are always among the labels.
void draw_labels(Array& labels, const Case& one_case, const Random& random) {
  draw::below(1)(labels, one_case, random);
  labels.as<int>().back() = 0;
  labels.as<int>().front() = one_case.shape[1] - 1;
}

// The losses of far_below_zero are near 1e37, and their sum must fit a float: from the fourth row
// on, the label is a largest class.
void limit_losses(std::span<float> logits, std::span<const int> labels, std::size_t classes) {
  for (std::size_t row = 3; row < labels.size(); ++row) {
    const std::span<float> x = logits.subspan(row * classes, classes);
    x[static_cast<std::size_t>(labels[row])] = *std::ranges::max_element(x);
  }
}

// In a normal case one class of each row, never the label, is masked with the lowest float.
void arrange(Inputs& inputs, const Case& one_case, const Random&) {
  const int classes = one_case.shape[1];
  const std::span<float> logits = inputs[0].as<float>();
  const std::span<const int> labels = inputs[1].as<int>();
  if (one_case.values == Values::far_below_zero)
    limit_losses(logits, labels, static_cast<std::size_t>(classes));
  if (one_case.values != Values::normal || classes < 3) return;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    logits[row * classes + (labels[row] + 1) % classes] = -FLT_MAX;
  }
}

struct Row {
  double loss;
  double tolerance;  // absolute
};

// The loss of a row is log(S) + max - x[label], with S = sum of e[j], e[j] = exp(x[j] - max) and
// u = 2^-24. Errors of a right kernel, absolute:
//   S         relative, and so absolute in log(S): of e[j] 4 + 3.5 |x[j] - max| for __expf, in the
//             mean under the weights e[j] / S; of the additions 1.5 sqrt(classes) for a serial sum,
//             whose roundings add up like a random walk; 2 for each of log2(classes) merges; and
//             terms that are too small to move a float of the size of S
//   log(S)    4 log(S) + 4
//   the rest  2 |max| + 2 |x[label]|: whether log(S) + max is formed first or max - x[label]
Row row_loss(std::span<const float> x, int label) {
  const double u = std::ldexp(1.0, -24);
  const double max = *std::max_element(x.begin(), x.end());
  const double of_label = x[static_cast<std::size_t>(label)];
  double sum = 0, distances = 0;
  for (double value : x) {
    sum += std::exp(value - max);
    distances += std::exp(value - max) * (max - value);
  }
  const double classes = static_cast<double>(x.size());
  const double too_small = share_that_is_lost(classes) * sum;
  double lost = 0;
  for (double value : x) {
    const double term = std::exp(value - max);
    if (term < too_small) lost += term;
  }
  const double of_sum = 4 + 3.5 * distances / sum + 1.5 * std::sqrt(classes) +
                        2 * std::log2(classes) + lost / (u * sum);
  const double tolerance =
      of_sum + 4 * std::log(sum) + 4 + 2 * std::fabs(max) + 2 * std::fabs(of_label);
  return {std::log(sum) + max - of_label, u * tolerance};
}

// The mean adds up n losses of one sign, in any order: 4 sqrt(n) u relative, and 8 for the
// division, before or after the sum.
Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const float> logits = inputs[0].as<float>();
  const std::span<const int> labels = inputs[1].as<int>();
  const std::size_t classes = one_case.shape[1];
  const double n = static_cast<double>(labels.size());
  double loss = 0, tolerance = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const Row row = row_loss(logits.subspan(i * classes, classes), labels[i]);
    loss += row.loss / n;
    tolerance += row.tolerance / n;
  }
  tolerance += std::ldexp(8 + 4 * std::sqrt(n), -24) * loss;
  return {{.value = {loss}, .tolerance = {tolerance}}};
}

// An element takes a comparison, a difference, an exponential and a sum.
Cost cost(const Shape& shape) {
  const double n = shape[0], elements = n * shape[1];
  return {.bytes_read = 4 * elements + 4 * n, .bytes_written = 4, .operations = 4 * elements};
}

REGISTER_PROBLEM({
    .name = "cross_entropy",
    .summary = "the negative log probability of the labels, from logits",
    .frequency = "high",
    .difficulty = "medium",
    .signature = signature(input<float>("logits", dims<0, 1>, draw::rows_of(1)),
                           input<int>("labels", dims<0>, draw_labels),
                           output<float>("loss", scalar), integer("n", 1, 1 << 20),
                           integer("classes", 1, 131072)),
    .cases = {{{1, 1}},
              {{7, 2}, Values::all_negative},
              {{5, 1000}, Values::large_magnitude},
              {{3, 130}, Values::far_below_zero},
              {{4, 300}, Values::constant},
              {{33, 1023}, Values::outliers},
              {{3, 50257}, Values::large_mean},  // rows at all alignments
              {{2, 4100}},
              {{3, 4097}, Values::two_levels},
              {{1030, 7}}},  // more rows than a capped grid has blocks
    .large_cases =
        {{{300000, 3}}, {{1 << 20, 2}}, {{1025, 50257}}, {{64, 131072}, Values::large_magnitude}},
    .bench_shapes = {{8192, 50304}, {1024, 128256}, {16, 128256}, {8192, 50257}},
    .drawn_values = {Values::normal, Values::large_magnitude, Values::all_negative},
    .arrange = arrange,
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::cross_entropy
