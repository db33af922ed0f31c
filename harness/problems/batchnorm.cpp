// batchnorm: y = (x - mean) / sqrt(var + eps) gamma + beta for each column of x[n, channels]
#include <cmath>

#include "problems/spec/problem.h"
#include "problems/tolerance/norm_tolerance.h"

namespace kata::problem::batchnorm {

// Neighbouring channels have other scales and other means, so that what leaks from one to another
// shows. A constant case has channels of 1234.5 and of 0. With outliers, the first row is of them:
// a column may be measured from its first element.
void draw_x(Array& x, const Case& one_case, const Random& random) {
  constexpr double scale[] = {1, 0.01, 1000};
  constexpr double shift[] = {0, 2, 0, -2};
  draw::as_the_case_says()(x, one_case, random);
  const std::size_t channels = one_case.shape[1];
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t channel = i % channels;
    if (one_case.values == Values::constant) {
      x.set(i, channel % 2 == 0 ? 1234.5 : 0);
    } else {
      const double first = one_case.values == Values::outliers && i < channels ? 1000 : 0;
      x.set(i, scale[channel % 3] * (x[i] + shift[channel % 4] + first));
    }
  }
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const float> x = inputs[0].as<float>();
  const std::span<const float> gamma = inputs[1].as<float>();
  const std::span<const float> beta = inputs[2].as<float>();
  const std::size_t channels = one_case.shape[1];
  const double n = one_case.shape[0], eps = one_case.reals[0];
  Expected y{.value = std::vector<double>(x.size()), .tolerance = std::vector<double>(x.size())};
  for (std::size_t channel = 0; channel < channels; ++channel) {
    double sum = 0, squares = 0;
    for (std::size_t i = channel; i < x.size(); i += channels) sum += x[i];
    const double mean = sum / n;
    for (std::size_t i = channel; i < x.size(); i += channels) {
      squares += (x[i] - mean) * (x[i] - mean);
    }
    const double sd = std::sqrt(squares / n + eps);
    for (std::size_t i = channel; i < x.size(); i += channels) {
      const double xh = (x[i] - mean) / sd;
      y.value[i] = xh * gamma[channel] + beta[channel];
      y.tolerance[i] = norm_tolerance(n, mean, sd, xh, gamma[channel], beta[channel]);
    }
  }
  return {y};
}

// One read and one write, where x fits on the chip; a second read otherwise. Operations for an
// element: a sum for the mean, a difference, a product and a sum for the variance, three products
// and sums for the result.
Cost cost(const Shape& shape) {
  const double channels = shape[1], elements = shape[0] * channels;
  return {.bytes_read = 4 * elements + 8 * channels,
          .bytes_written = 4 * elements,
          .operations = 7 * elements};
}

// No column is so long that one float loses the values that a thread adds to it: small squares
// vanish near 2^21 or beside the square of an outlier, and deviations beside a sum of large means.
REGISTER_PROBLEM({
    .name = "batchnorm",
    .summary = "every column shifted to mean 0 and scaled to variance 1",
    .frequency = "medium",
    .difficulty = "hard",
    .signature = signature(input<float>("x", dims<0, 1>, draw_x),
                           input<float>("gamma", dims<1>, draw::around(1, 0.5)),
                           input<float>("beta", dims<1>, draw::around(0, 1)),
                           output<float>("y", dims<0, 1>), integer("n", 1, 1 << 20),
                           integer("channels", 1, 200001), real("eps", 1e-5f)),
    .cases = {{{1, 1}},
              {{6, 40}, Values::normal, {0.5f}},
              {{33, 261}},
              {{100, 31}, Values::normal, {1e-3f}},
              {{300, 64}, Values::large_mean},
              {{257, 40}, Values::constant},
              {{1030, 5}, Values::outliers},
              {{33, 1000}},
              {{20003, 6}}},
    .large_cases = {{{400001, 2}, Values::sorted},  // the means of parts differ
                    {{(1 << 18) + 1, 3}},
                    {{16387, 64}, Values::large_mean},
                    {{5, 200001}},
                    {{1027, 4099}, Values::outliers}},
    .bench_shapes = {{65536, 256}, {1 << 20, 64}, {4096, 1000}, {65536, 255}},
    .drawn_values = {Values::normal, Values::large_mean, Values::outliers},
    .reference = reference,
    .cost = cost,
    .cancels = "the variance mean(x^2) - mean(x)^2",
});

}  // namespace kata::problem::batchnorm
