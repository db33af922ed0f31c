// fft: the discrete Fourier transform of each row of n complex numbers,
//   X_k = sum of x_j exp(-2 pi i j k / n) over j, not scaled.
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

#include "problems/spec/problem.h"

namespace kata::problem::fft {

using Complex = std::complex<double>;
using Row = std::vector<Complex>;

Dims complex_rows(const Shape& shape) {
  return {shape[1], shape[0], 2};
}

Shape nearest(Shape shape) {
  const auto n = static_cast<unsigned>(std::clamp(shape[0], 1, 1 << 20));
  return {static_cast<int>(std::bit_floor(n)), std::max(shape[1], 1)};
}

/// What a mistake does with a row before and after the transform.
struct Rule {
  void (*before)(Row& x) = nullptr;
  void (*after)(Row& X) = nullptr;
};

std::size_t reversed(std::size_t k, std::size_t n) {
  std::size_t result = 0;
  for (std::size_t bit = 1; bit < n; bit *= 2) {
    result = 2 * result + k % 2;
    k /= 2;
  }
  return result;
}

Row in_reversed_order(const Row& x) {
  Row result(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) result[k] = x[reversed(k, x.size())];
  return result;
}

// Cooley and Tukey's, radix 2, in place.
Row transform(const Row& x) {
  const std::size_t n = x.size();
  Row roots(n / 2), X = in_reversed_order(x);
  for (std::size_t k = 0; k < n / 2; ++k)
    roots[k] =
        std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
  for (std::size_t half = 1; half < n; half *= 2)
    for (std::size_t begin = 0; begin < n; begin += 2 * half)
      for (std::size_t k = 0; k < half; ++k) {
        const Complex a = X[begin + k], w = roots[k * (n / 2 / half)], b = X[begin + half + k];
        const Complex product(w.real() * b.real() - w.imag() * b.imag(),
                              w.real() * b.imag() + w.imag() * b.real());
        X[begin + k] = a + product;
        X[begin + half + k] = a - product;
      }
  return X;
}

// Errors of a right kernel, with u = 2^-24. A stage rounds each number by a few u of its size, and
// its roots are off by up to 8 u, as those of __sincosf are. For signals without a pattern errors
// spread evenly: each X_k gets u log2(n) |x|_2 times a small factor. Where all of the signal meets
// in one peak, the last stages round numbers as large as the peak beside it, hence the largest |X|.
// With n = 1 nothing is computed.
std::vector<double> tolerance_of(const Row& x, const Row& X) {
  double squares = 0, largest = 0;
  for (const Complex& value : x) squares += std::norm(value);
  for (const Complex& value : X) largest = std::max(largest, std::norm(value));
  const double u = std::ldexp(1.0, -24), stages = std::log2(static_cast<double>(x.size()));
  const double common = 8 * stages * std::sqrt(squares) + 16 * std::sqrt(largest);
  std::vector<double> tolerance;
  for (const Complex& value : X)
    tolerance.push_back(x.size() == 1 ? 0 : u * (common + 4 * std::abs(value)));
  return tolerance;
}

Outputs transforms(const Inputs& inputs, const Case& one_case, const Rule& rule) {
  const auto n = static_cast<std::size_t>(one_case.shape[0]);
  const std::span<const float> signal = inputs[0].as<float>();
  Expected spectrum;
  for (std::size_t begin = 0; begin < signal.size(); begin += 2 * n) {
    Row x(n);
    for (std::size_t j = 0; j < n; ++j) x[j] = {signal[begin + 2 * j], signal[begin + 2 * j + 1]};
    Row X = transform(x);
    const std::vector<double> tolerance = tolerance_of(x, X);
    if (rule.before) {
      rule.before(x);
      X = transform(x);
    }
    if (rule.after) rule.after(X);
    for (std::size_t k = 0; k < n; ++k) {
      spectrum.value.insert(spectrum.value.end(), {X[k].real(), X[k].imag()});
      spectrum.tolerance.insert(spectrum.tolerance.end(), 2, tolerance[k]);
    }
  }
  return {spectrum};
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  return transforms(inputs, one_case, {});
}

// Rows of a batch are unlike: random numbers; an impulse, whose transform is the roots themselves;
// a tone, whose transform is one peak; random real numbers.
void draw_rows(Array& x, const Case& one_case, const Random& random) {
  draw::as_the_case_says()(x, one_case, random);
  if (one_case.values != Values::normal) return;
  const std::span<float> signal = x.as<float>();
  const auto n = static_cast<std::size_t>(one_case.shape[0]);
  for (std::size_t i = 0; i < signal.size(); ++i) {
    const std::size_t row = i / (2 * n), j = i / 2 % n, part = i % 2, place = random.below(row, n);
    const double turn =
        2 * std::numbers::pi * static_cast<double>(place * j % n) / static_cast<double>(n);
    if (row % 4 == 1 && j != place) signal[i] = 0;
    if (row % 4 == 2) signal[i] = static_cast<float>(part == 0 ? std::cos(turn) : std::sin(turn));
    if (row % 4 == 3 && part == 1) signal[i] = 0;
  }
}

Mistake mistake(std::string what, Rule rule) {
  return {std::move(what), [rule](const Inputs& inputs, const Case& one_case) {
            return transforms(inputs, one_case, rule);
          }};
}

template <class Change>
void change_all(Row& row, Change change) {
  for (Complex& value : row) value = change(value, static_cast<double>(row.size()));
}

const std::vector<Mistake> mistakes{
    mistake("of the inverse transform, with exp(+2 pi i j k / n)",
            {.after = [](Row& X) { std::reverse(X.begin() + 1, X.end()); }}),
    mistake("if each were divided by n",
            {.after = [](Row& X) { change_all(X, [](Complex v, double n) { return v / n; }); }}),
    mistake(
        "if each were divided by the root of n",
        {.after =
             [](Row& X) { change_all(X, [](Complex v, double n) { return v / std::sqrt(n); }); }}),
    mistake("in bit-reversed order", {.after = [](Row& X) { X = in_reversed_order(X); }}),
    mistake("of the signal in bit-reversed order",
            {.before = [](Row& x) { x = in_reversed_order(x); }}),
    mistake("with real and imaginary parts swapped", {.after =
                                                          [](Row& X) {
                                                            change_all(X, [](Complex v, double) {
                                                              return Complex(v.imag(), v.real());
                                                            });
                                                          }}),
    mistake("of the real parts alone",
            {.before = [](Row& x) { change_all(x, [](Complex v, double) { return v.real(); }); }}),
    mistake("with frequency 0 in the middle",
            {.after =
                 [](Row& X) {
                   std::rotate(X.begin(), X.begin() + static_cast<std::ptrdiff_t>(X.size() / 2),
                               X.end());
                 }}),
};

// Operations: by convention 5 n log2(n), those of radix 2.
Cost cost(const Shape& shape) {
  const double n = shape[0], batch = shape[1];
  return {.bytes_read = 8 * n * batch,
          .bytes_written = 8 * n * batch,
          .operations = 5 * n * std::log2(n) * batch};
}

// Each power of two to 4096, with even and odd logarithms; then where one block's memory ends.
REGISTER_PROBLEM({
    .name = "fft",
    .summary = "the discrete Fourier transforms of a batch of complex signals",
    .frequency = "medium",
    .difficulty = "hard",
    .signature = signature(input<float>("signal", complex_rows, draw_rows),
                           output<float>("spectrum", complex_rows), integer("n", 1, 1 << 20),
                           integer("batch", 1, 1 << 24)),
    .limits = {"n a power of two", nearest},
    .cases = {{{1, 5}},
              {{2, 7}},
              {{4, 33}},
              {{8, 67}, Values::outliers},
              {{16, 35}},
              {{32, 17}},
              {{64, 9}, Values::mostly_zero},
              {{128, 6}},
              {{256, 5}},
              {{512, 3}},
              {{1024, 3}},
              {{2048, 2}, Values::constant},
              {{4096, 1}},
              {{16384, 1}}},
    .large_cases = {{{32768, 3}},
                    {{4, 65537}},
                    {{1 << 17, 2}},
                    {{8192, 9}},
                    {{1 << 20, 1}},
                    {{1 << 19, 2}, Values::constant}},
    .bench_shapes = {{1024, 65536}, {64, 1 << 20}, {4096, 16384}, {16384, 4096}, {1 << 20, 64}},
    .drawn_values = {Values::normal, Values::outliers, Values::whole_numbers},
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::fft
