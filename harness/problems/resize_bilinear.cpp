// resize_bilinear: output(i, j) of a plane is the bilinear mix of its input around row
// (i + 1/2) H / H_out - 1/2 and column (j + 1/2) W / W_out - 1/2, both clamped to the plane.
#include <algorithm>
#include <cmath>

#include "problems/spec/problem.h"

namespace kata::problem::resize_bilinear {

constexpr int most_side = 16384;

double half_pixel(double place, double size, double out_size) {
  return (place + 0.5) * size / out_size - 0.5;
}

/// The operator, or what people compute in its place.
struct Rule {
  double (*coordinate)(double place, double size, double out_size) = half_pixel;
  bool clamps_at_zero = true;  ///< otherwise the first two inputs are extrapolated
  bool weights_swapped = false;
  bool mixes_rows = true;
};

/// Where one output lies along one axis.
struct Place {
  std::int64_t low, high;    ///< the two inputs that are mixed
  double weight;             ///< of `high`
  double error;              ///< that a float coordinate may have
  std::int64_t first, last;  ///< inputs that such an error can reach
};

// The error of a coordinate s in float, in units of u = 2^-24: the ratio of the sizes is off by 1,
// or by 4 with fast division, relative; the product and the difference round by 1 each. Relative to
// s + 1/2 and s this is below 6 (s + 1).
std::vector<Place> places(std::int64_t size, std::int64_t out_size, const Rule& rule) {
  const auto last = static_cast<double>(size - 1);
  const auto clamped = [&](double s) {
    return static_cast<std::int64_t>(std::floor(std::clamp(s, 0.0, last)));
  };
  std::vector<Place> all;
  for (std::int64_t i = 0; i < out_size; ++i) {
    const double unclamped = rule.coordinate(static_cast<double>(i), static_cast<double>(size),
                                             static_cast<double>(out_size));
    const double s = std::clamp(unclamped, 0.0, last);
    const std::int64_t low = clamped(s), high = std::min(low + 1, size - 1);
    double weight = s - static_cast<double>(low);
    if (!rule.clamps_at_zero && unclamped < 0) weight = unclamped;
    if (rule.weights_swapped) weight = 1 - weight;
    const double error = std::ldexp(6 * (s + 1), -24);
    all.push_back(
        {low, high, weight, error, clamped(s - error), std::min(clamped(s + error) + 1, size - 1)});
  }
  return all;
}

/// The extremes of the inputs around one output, and their largest differences along each axis.
struct Around {
  double largest = 0, along_y = 0, along_x = 0;
};

Around look_around(const float* in, std::int64_t W, const Place& y, const Place& x) {
  if (y.last - y.first <= 1 && x.last - x.first <= 1) {  // nearly always
    const float *above = in + y.first * W, *below = in + y.last * W;
    const double a = above[x.first], b = above[x.last], c = below[x.first], d = below[x.last];
    return {.largest = std::max({std::fabs(a), std::fabs(b), std::fabs(c), std::fabs(d)}),
            .along_y = std::max(std::fabs(a - c), std::fabs(b - d)),
            .along_x = std::max(std::fabs(a - b), std::fabs(c - d))};
  }
  Around around;
  for (std::int64_t row = y.first; row <= y.last; ++row) {
    for (std::int64_t col = x.first; col <= x.last; ++col) {
      const double value = in[row * W + col];
      around.largest = std::max(around.largest, std::fabs(value));
      if (row > y.first)
        around.along_y = std::max(around.along_y, std::fabs(value - in[(row - 1) * W + col]));
      if (col > x.first)
        around.along_x = std::max(around.along_x, std::fabs(value - in[row * W + col - 1]));
    }
  }
  return around;
}

// An error of a coordinate moves the result by that times the slope, which is at most the largest
// difference of neighbours; the result is continuous, so a coordinate that falls into the next cell
// costs no more. The mixes round by at most 10 u of the largest of the inputs: two levels with a
// difference, a product and a sum each, or products of weights. Below the smallest normal float a
// kernel may flush to zero.
Outputs resize(const Inputs& inputs, const Case& one_case, const Rule& rule) {
  const std::span<const float> input = inputs[0].as<float>();
  const std::int64_t planes = std::int64_t{one_case.shape[0]} * one_case.shape[1];
  const std::int64_t H = one_case.shape[2], W = one_case.shape[3];
  std::vector<Place> rows = places(H, one_case.shape[4], rule);
  if (!rule.mixes_rows)
    for (Place& y : rows) y.weight = 0;
  const std::vector<Place> cols = places(W, one_case.shape[5], rule);
  Expected output;
  output.value.reserve(static_cast<std::size_t>(planes) * rows.size() * cols.size());
  output.tolerance.reserve(static_cast<std::size_t>(planes) * rows.size() * cols.size());
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    const float* in = input.data() + plane * H * W;
    for (const Place& y : rows) {
      for (const Place& x : cols) {
        const auto mix = [&](std::int64_t row) {
          const double low = in[row * W + x.low], high = in[row * W + x.high];
          return low + x.weight * (high - low);
        };
        const double above = mix(y.low), below = mix(y.high);
        output.value.push_back(above + y.weight * (below - above));
        const Around around = look_around(in, W, y, x);
        output.tolerance.push_back(y.error * around.along_y + x.error * around.along_x +
                                   std::ldexp(10 * around.largest, -24) + std::ldexp(1.0, -126));
      }
    }
  }
  return {output};
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  return resize(inputs, one_case, {});
}

Mistake mistake(const std::string& what, const Rule& rule) {
  return {what, [rule](const Inputs& inputs, const Case& one_case) {
            return resize(inputs, one_case, rule);
          }};
}

double aligned_corners(double place, double size, double out_size) {
  return out_size > 1 ? place * (size - 1) / (out_size - 1) : 0;
}

double no_half_pixel(double place, double size, double out_size) {
  return place * size / out_size;
}

double whole_ratio(double place, double size, double out_size) {
  return (place + 0.5) * std::floor(size / out_size) - 0.5;
}

double nearest_below(double place, double size, double out_size) {
  return std::floor(place * size / out_size);
}

const std::vector<Mistake> mistakes{
    mistake("with the corners aligned: coordinate i (H - 1) / (H_out - 1)",
            {.coordinate = aligned_corners}),
    mistake("without the half pixel: coordinate i H / H_out", {.coordinate = no_half_pixel}),
    mistake("if H / H_out were rounded down to a whole number", {.coordinate = whole_ratio}),
    mistake("if coordinates below 0 were not clamped", {.clamps_at_zero = false}),
    mistake("if the weights of the two neighbours were swapped", {.weights_swapped = true}),
    mistake("if nothing were mixed: the input at i H / H_out, rounded down",
            {.coordinate = nearest_below}),
    mistake("if only the columns were mixed, not the rows", {.mixes_rows = false}),
};

/// Of `size` places in a row, those that outputs read, at least `each` for one output.
double touched(double size, double outputs, double each) {
  return std::min(size, outputs * each);
}

// Two rows for an output row; in a row a sector of 8 floats for each output. Three mixes of two
// multiply-adds each.
Cost cost(const Shape& shape) {
  const double planes = 1.0 * shape[0] * shape[1];
  const double outputs = planes * shape[4] * shape[5];
  return {
      .bytes_read = 4 * planes * touched(shape[2], shape[4], 2) * touched(shape[3], shape[5], 8),
      .bytes_written = 4 * outputs,
      .operations = 12 * outputs};
}

// Sizes: from and to a single element; the same size; ratios of 2 in each direction and others; one
// axis up and the other down; a single row or column; the longest rows, sorted, so that the error
// of a coordinate near 16384 counts little; rows of whole float4 and others.
REGISTER_PROBLEM({
    .name = "resize_bilinear",
    .summary = "an image at another size, each pixel a mix of four",
    .frequency = "medium",
    .difficulty = "medium",
    .signature = signature(input<float>("input", dims<0, 1, 2, 3>),
                           output<float>("output", dims<0, 1, 4, 5>), integer("N", 1, 1 << 20),
                           integer("C", 1, 4096), integer("H", 1, most_side),
                           integer("W", 1, most_side), integer("H_out", 1, most_side),
                           integer("W_out", 1, most_side)),
    .cases = {{{1, 1, 1, 1, 5, 7}},
              {{1, 2, 13, 21, 13, 21}, Values::outliers},
              {{37, 2, 3, 4, 5, 8}},
              {{2, 3, 17, 23, 29, 11}},
              {{3, 2, 31, 12, 19, 33}, Values::all_negative},
              {{1, 3, 2, 4, 4, 2}},
              {{2, 1, 3, 2, 2, 3}},
              {{1, 1, 5, 7, 1, 1}},
              {{1, 2, 1, 41, 3, 67}},
              {{3, 1, 33, 1, 70, 4}},
              {{1, 1, 1, 16384, 1, 3}, Values::sorted},
              {{1, 1, 1, 3, 1, 16384}, Values::sorted},
              {{1, 1, 1025, 3, 259, 5}},
              {{1, 1, 3, 5, 515, 9}, Values::large_mean},
              {{1, 1, 7, 1025, 8, 2050}, Values::sorted},
              {{1, 2, 52, 256, 13, 64}},
              {{2, 1, 37, 53, 74, 106}, Values::large_magnitude},
              {{1, 2, 40, 64, 80, 128}}},
    .large_cases = {{{257, 256, 2, 3, 3, 2}},  // more planes than gridDim.z has
                    {{2, 3, 270, 480, 540, 960}},
                    {{2, 3, 1080, 1920, 333, 517}, Values::large_mean},
                    {{1, 1, 515, 777, 4097, 4099}}},  // more outputs than a float counts
    .bench_shapes = {{4, 3, 1080, 1920, 2160, 3840},
                     {8, 256, 64, 64, 128, 128},
                     {16, 3, 1080, 1920, 640, 640},
                     {1, 3, 480, 640, 224, 224}},
    .fewer_parts = [](Shape shape) -> Shape {
      shape[0] = 1 + (shape[0] - 1) % 4;
      shape[1] = 1 + (shape[1] - 1) % 8;
      return shape;
    },
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::resize_bilinear
