// max_pool2d: output[n][c][i][j] = the largest input of plane (n, c) in rows i stride - padding to
// i stride - padding + kernel_size - 1 and the same columns; places outside count as -infinity.
#include <algorithm>
#include <bit>
#include <cmath>

#include "problems/spec/problem.h"

namespace kata::problem::max_pool2d {

constexpr int most_side = 16384, largest_kernel = 31, largest_stride = 16, most_padding = 15;

std::int64_t places(int size, const Shape& shape) {
  return (size + 2 * shape[6] - shape[4]) / shape[5] + 1;
}

Dims pooled(const Shape& shape) {
  return {shape[0], shape[1], places(shape[2], shape), places(shape[3], shape)};
}

// 2 padding <= kernel_size, so that no window is empty.
Shape nearest(Shape shape) {
  for (std::size_t i = 0; i < 4; ++i) shape[i] = std::max(shape[i], 1);
  shape[2] = std::min(shape[2], most_side);
  shape[3] = std::min(shape[3], most_side);
  int& kernel_size = shape[4];
  int& padding = shape[6];
  padding = std::clamp(padding, 0, most_padding);
  const int most = std::min(largest_kernel, std::min(shape[2], shape[3]) + 2 * padding);
  kernel_size = std::clamp(kernel_size, 1, most);
  shape[5] = std::clamp(shape[5], 1, largest_stride);
  padding = std::min(padding, kernel_size / 2);
  return shape;
}

/// The operator, or what people compute in its place.
struct Rule {
  double outside = -HUGE_VAL;    ///< what a place outside counts as
  double start = -HUGE_VAL;      ///< of the search for the largest
  bool before_the_edge = true;   ///< windows begin `padding` places before the edge
  bool steps_of_kernel = false;  ///< windows are kernel_size apart, not stride
};

// First along the rows, then along the columns: the largest of a window is that of its rows.
Outputs pool(const Inputs& inputs, const Case& one_case, Rule rule) {
  const std::span<const float> input = inputs[0].as<float>();
  const std::int64_t H = one_case.shape[2], W = one_case.shape[3];
  const std::int64_t kernel_size = one_case.shape[4];
  const std::int64_t step = rule.steps_of_kernel ? kernel_size : one_case.shape[5];
  const std::int64_t before = rule.before_the_edge ? one_case.shape[6] : 0;
  const Dims out = pooled(one_case.shape);
  const std::int64_t out_H = out[2], out_W = out[3];
  Expected output;
  output.value.reserve(static_cast<std::size_t>(count(out)));
  std::vector<double> of_rows(static_cast<std::size_t>(H * out_W));
  for (std::int64_t plane = 0; plane < out[0] * out[1]; ++plane) {
    const float* in = input.data() + plane * H * W;
    for (std::int64_t row = 0; row < H; ++row) {
      for (std::int64_t j = 0; j < out_W; ++j) {
        double best = rule.start;
        for (std::int64_t col = j * step - before; col < j * step - before + kernel_size; ++col) {
          best = std::max(best, col >= 0 && col < W ? in[row * W + col] : rule.outside);
        }
        of_rows[row * out_W + j] = best;
      }
    }
    for (std::int64_t i = 0; i < out_H; ++i) {
      for (std::int64_t j = 0; j < out_W; ++j) {
        double best = rule.start;
        for (std::int64_t row = i * step - before; row < i * step - before + kernel_size; ++row) {
          best = std::max(best, row >= 0 && row < H ? of_rows[row * out_W + j] : rule.outside);
        }
        output.value.push_back(best);
      }
    }
  }
  return {output};
}

// A selection rounds nothing: the one right answer is an element of the window.
Outputs reference(const Inputs& inputs, const Case& one_case) {
  return pool(inputs, one_case, {});
}

const std::vector<Mistake> mistakes{
    {"if padding counted as 0, not as -infinity",
     [](const Inputs& inputs, const Case& one_case) {
       return pool(inputs, one_case, {.outside = 0});
     }},
    {"if the maximum started at 0",
     [](const Inputs& inputs, const Case& one_case) {
       return pool(inputs, one_case, {.start = 0});
     }},
    {"if the first window began at the edge, not padding places before it",
     [](const Inputs& inputs, const Case& one_case) {
       return pool(inputs, one_case, {.before_the_edge = false});
     }},
    {"if windows were kernel_size apart, not stride",
     [](const Inputs& inputs, const Case& one_case) {
       return pool(inputs, one_case, {.steps_of_kernel = true});
     }},
};

/// Of `size` places in a row, those that windows cover.
double covered(double size, double windows, double each) {
  return std::min(size, windows * each);
}

// Rows that no window covers are not read; of a row at least one sector of 8 floats per window is.
// Comparisons: a window of 2 w places is the larger of two of w, along each axis.
Cost cost(const Shape& shape) {
  const Dims out = pooled(shape);
  const double planes = 1.0 * shape[0] * shape[1], kernel_size = shape[4];
  const double out_H = static_cast<double>(out[2]), out_W = static_cast<double>(out[3]);
  const double doublings = std::bit_width(static_cast<unsigned>(shape[4] - 1));
  return {.bytes_read = 4 * planes * covered(shape[2], out_H, kernel_size) *
                        covered(shape[3], out_W, std::max(kernel_size, 8.0)),
          .bytes_written = 4 * planes * out_H * out_W,
          .operations = 2 * doublings * planes * out_H * out_W};
}

// Sizes: one output; more outputs than inputs; a window as high as the padded plane; kernels of one
// place, even ones with half of them as padding, and the largest; strides above the kernel; places
// at the end that no window covers; rows of whole float4 and others, of one more than 128 and 1024.
REGISTER_PROBLEM({
    .name = "max_pool2d",
    .summary = "the largest element of each window of an image",
    .frequency = "high",
    .difficulty = "medium",
    .signature = signature(input<float>("input", dims<0, 1, 2, 3>), output<float>("output", pooled),
                           integer("N", 1, 1 << 20), integer("C", 1, 4096),
                           integer("H", 1, most_side), integer("W", 1, most_side),
                           integer("kernel_size", 1, largest_kernel),
                           integer("stride", 1, largest_stride),
                           integer("padding", 0, most_padding)),
    .limits = {"2 padding <= kernel_size <= 31; the window fits the padded plane; stride <= 16",
               nearest},
    .cases = {{{1, 1, 1, 1, 1, 1, 0}, Values::signed_zeros},
              {{1, 1, 1, 1, 2, 1, 1}, Values::positive},
              {{2, 3, 17, 23, 5, 2, 2}},
              {{1, 2, 33, 7, 3, 2, 1}, Values::all_negative},
              {{2, 2, 7, 127, 2, 2, 0}},
              {{3, 1, 7, 12, 2, 2, 0}},  // an odd number of rows of whole float4
              {{2, 1, 6, 10, 2, 2, 0}},  // an even number of columns, without that
              {{1, 2, 129, 31, 4, 3, 2}, Values::far_below_zero},
              {{1, 1, 5, 200, 7, 1, 1}},  // one row of outputs
              {{3, 1, 20, 33, 1, 2, 0}},
              {{1, 2, 40, 37, 3, 7, 0}},  // rows and columns between windows
              {{37, 1, 4, 5, 2, 1, 1}, Values::sorted},
              {{1, 67, 3, 8, 3, 2, 1}, Values::descending},
              {{1, 1, 3, 1025, 3, 1, 1}},
              {{1, 1, 1025, 3, 2, 1, 0}},
              {{2, 2, 24, 64, 2, 2, 0}, Values::all_negative},
              {{1, 2, 21, 132, 3, 1, 1}, Values::all_negative},
              {{1, 2, 40, 45, 13, 1, 6}},
              {{1, 1, 37, 70, 9, 1, 4}, Values::all_negative},
              {{1, 1, 44, 39, 8, 2, 3}},
              {{1, 1, 18, 23, 31, 1, 15}},
              {{1, 3, 9, 41, 3, 1, 1}, Values::lowest},
              {{1, 2, 66, 256, 3, 2, 1}}},
    .large_cases = {{{257, 256, 3, 3, 2, 1, 1}},  // more planes than gridDim.z has
                    {{4, 64, 255, 257, 3, 2, 1}, Values::all_negative},
                    {{2, 8, 512, 512, 2, 2, 0}},
                    {{1, 3, 1025, 1023, 13, 1, 6}, Values::all_negative},
                    {{1, 16, 300, 260, 31, 1, 15}}},
    .bench_shapes = {{4, 64, 256, 256, 3, 2, 1},
                     {32, 64, 112, 112, 3, 2, 1},
                     {8, 64, 256, 256, 13, 1, 6},
                     {16, 64, 256, 256, 2, 2, 0},
                     {8, 192, 35, 35, 3, 1, 1}},
    .fewer_parts = [](Shape shape) -> Shape {
      shape[0] = 1 + (shape[0] - 1) % 4;
      shape[1] = 1 + (shape[1] - 1) % 8;
      return shape;
    },
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::max_pool2d
