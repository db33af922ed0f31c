// conv2d_nchw: a layer's convolution: y[b][o] = bias[o] + the sum over channels c of x[b][c],
// padded with zeros, correlated with weight[o][c]
#include <algorithm>

#include "problems/spec/problem.h"
#include "problems/tolerance/dot_product.h"

namespace kata::problem::conv2d_nchw {

constexpr int largest_kernel = 31, largest_stride = 16, largest_padding = 31, most_taps = 18432;

struct Sizes {
  explicit Sizes(const Shape& s)
      : batch(s[0]),
        in_channels(s[1]),
        height(s[2]),
        width(s[3]),
        out_channels(s[4]),
        kernel_rows(s[5]),
        kernel_cols(s[6]),
        stride(s[7]),
        padding(s[8]),
        out_height((height + 2 * padding - kernel_rows) / stride + 1),
        out_width((width + 2 * padding - kernel_cols) / stride + 1) {}

  std::int64_t batch, in_channels, height, width, out_channels, kernel_rows, kernel_cols, stride,
      padding, out_height, out_width;

  std::int64_t taps() const { return in_channels * kernel_rows * kernel_cols; }
  std::int64_t outputs() const { return batch * out_channels * out_height * out_width; }
};

Dims planes(const Shape& shape) {
  const Sizes s(shape);
  return {s.batch, s.out_channels, s.out_height, s.out_width};
}

Shape nearest(Shape shape) {
  for (int i : {0, 1, 2, 3, 4}) shape[i] = std::max(shape[i], 1);
  shape[7] = std::clamp(shape[7], 1, largest_stride);
  shape[8] = std::clamp(shape[8], 0, largest_padding);
  for (int i : {0, 1}) {
    const int most = shape[2 + i] + 2 * shape[8];
    shape[5 + i] = std::clamp(shape[5 + i], 1, std::min(most, largest_kernel));
  }
  shape[1] = std::min(shape[1], most_taps / (shape[5] * shape[6]));
  return shape;
}

/// What varies between the operator and what is taken for it.
struct Formula {
  bool flipped = false;
  bool columns_first = false;       ///< weight is [out, in, kernel_cols, kernel_rows]
  bool in_channels_first = false;   ///< weight is [in, out, ...]
  bool padding_in_outputs = false;  ///< (oy - padding) * stride + i
  bool repeats_edges = false;       ///< instead of zeros outside
  double bias = 1;
};

/// The weight that multiplies row i and column j of the kernel's window.
std::int64_t weight_at(const Sizes& s, const Formula& formula, std::int64_t o, std::int64_t c,
                       std::int64_t i, std::int64_t j) {
  if (formula.flipped) i = s.kernel_rows - 1 - i, j = s.kernel_cols - 1 - j;
  const std::int64_t kernel =
      formula.in_channels_first ? c * s.out_channels + o : o * s.in_channels + c;
  const std::int64_t tap = formula.columns_first ? j * s.kernel_rows + i : i * s.kernel_cols + j;
  return kernel * s.kernel_rows * s.kernel_cols + tap;
}

/// What one row of an output plane adds up, element by element.
struct RowOfTerms {
  explicit RowOfTerms(std::int64_t width) : sum(width), sizes(width), squares(width) {}

  void set(double value) {
    std::ranges::fill(sum, value);
    std::ranges::fill(sizes, std::abs(value));
    std::ranges::fill(squares, value * value);
  }
  void add(std::size_t at, double term) {
    sum[at] += term;
    sizes[at] += std::abs(term);
    squares[at] += term * term;
  }

  std::vector<double> sum, sizes, squares;
};

/// Adds one row of the input, times one row of a kernel.
void add_row(RowOfTerms& terms, const Sizes& s, const Formula& formula, const float* row,
             std::int64_t j, double weight) {
  const std::int64_t shift = j - (formula.padding_in_outputs ? s.padding * s.stride : s.padding);
  if (formula.repeats_edges) {
    for (std::int64_t ox = 0; ox < s.out_width; ++ox)
      terms.add(ox, weight * row[std::clamp<std::int64_t>(ox * s.stride + shift, 0, s.width - 1)]);
    return;
  }
  const std::int64_t first = shift >= 0 ? 0 : (-shift + s.stride - 1) / s.stride;
  const std::int64_t end =
      std::min(s.out_width, s.width - shift <= 0 ? 0 : (s.width - shift + s.stride - 1) / s.stride);
  for (std::int64_t ox = first; ox < end; ++ox) terms.add(ox, weight * row[ox * s.stride + shift]);
}

Outputs convolution(const Inputs& inputs, const Case& one_case, const Formula& formula) {
  const Sizes s(one_case.shape);
  const std::span<const float> x = inputs[0].as<float>(), weight = inputs[1].as<float>();
  const std::span<const float> bias = inputs[2].as<float>();
  const bool whole = all_whole(x) && all_whole(weight) && all_whole(bias);
  Expected y;
  y.value.reserve(s.outputs());
  y.tolerance.reserve(s.outputs());
  RowOfTerms terms(s.out_width);
  const std::int64_t rows = s.batch * s.out_channels * s.out_height;
  for (std::int64_t out_row = 0; out_row < rows; ++out_row) {
    const std::int64_t oy = out_row % s.out_height, o = out_row / s.out_height % s.out_channels;
    const std::int64_t b = out_row / s.out_height / s.out_channels;
    terms.set(formula.bias * bias[o]);
    for (std::int64_t c = 0; c < s.in_channels; ++c) {
      for (std::int64_t i = 0; i < s.kernel_rows; ++i) {
        std::int64_t iy = formula.padding_in_outputs ? (oy - s.padding) * s.stride + i
                                                     : oy * s.stride - s.padding + i;
        if (formula.repeats_edges) iy = std::clamp<std::int64_t>(iy, 0, s.height - 1);
        if (iy < 0 || iy >= s.height) continue;
        const float* row = &x[((b * s.in_channels + c) * s.height + iy) * s.width];
        for (std::int64_t j = 0; j < s.kernel_cols; ++j)
          add_row(terms, s, formula, row, j, weight[weight_at(s, formula, o, c, i, j)]);
      }
    }
    for (std::int64_t ox = 0; ox < s.out_width; ++ox) {
      y.value.push_back(terms.sum[ox]);
      y.tolerance.push_back(dot_tolerance({.roundings = static_cast<int>(s.taps()) + 1,
                                           .sum = terms.sum[ox],
                                           .sum_of_sizes = terms.sizes[ox],
                                           .sum_of_squares = terms.squares[ox],
                                           .whole = whole}));
    }
  }
  return {y};
}

// Each output is a dot product of as many terms as an output channel has weights, and the bias.
Outputs reference(const Inputs& inputs, const Case& one_case) {
  return convolution(inputs, one_case, {});
}

auto instead(const Formula& formula) {
  return [formula](const Inputs& inputs, const Case& one_case) {
    return convolution(inputs, one_case, formula);
  };
}

const std::vector<Mistake> mistakes{
    {"without the bias", instead({.bias = 0})},
    {"with the bias added twice", instead({.bias = 2})},
    {"if the kernels were turned around (a convolution in the sense of signal processing)",
     instead({.flipped = true})},
    {"if weight were [out_channels, in_channels, kernel_cols, kernel_rows]",
     instead({.columns_first = true})},
    {"if weight were [in_channels, out_channels, kernel_rows, kernel_cols]",
     instead({.in_channels_first = true})},
    {"if the padding were subtracted before the multiplication by the stride",
     instead({.padding_in_outputs = true})},
    {"if the padding repeated the edge of the image instead of zeros",
     instead({.repeats_edges = true})},
};

// Products with padding count, as in the tables of cuDNN and PyTorch.
Cost cost(const Shape& shape) {
  const Sizes s(shape);
  const auto x = static_cast<double>(s.batch * s.in_channels) * static_cast<double>(s.height) *
                 static_cast<double>(s.width);
  const auto weights = static_cast<double>(s.out_channels) * static_cast<double>(s.taps());
  const auto outputs = static_cast<double>(s.outputs());
  return {.bytes_read = 4 * (x + weights + static_cast<double>(s.out_channels)),
          .bytes_written = 4 * outputs,
          .operations = 2 * static_cast<double>(s.taps()) * outputs};
}

// Sizes: one product; kernels of 1 x 1 with both strides, of one row, of one column, wider than the
// image; one output per plane; padding wider than the kernel, where only the bias remains; tails of
// 17 * 3 * 3 products, of 65 channels and of 49 places. In five cases some sizes are multiples of 8
// and the others odd, so that of each two sizes one is aligned where the other is not.
REGISTER_PROBLEM({
    .name = "conv2d_nchw",
    .summary = "a convolution layer: batch, channels, stride, padding and bias",
    .frequency = "high",
    .difficulty = "hard",
    .signature = signature(
        input<float>("x", dims<0, 1, 2, 3>), input<float>("weight", dims<4, 1, 5, 6>),
        input<float>("bias", dims<4>, draw::mild_outliers()), output<float>("y", planes),
        integer("batch", 1, 1024), integer("in_channels", 1, 2048), integer("height", 1, 4096),
        integer("width", 1, 4096), integer("out_channels", 1, 2048), integer("kernel_rows", 1, 31),
        integer("kernel_cols", 1, 31), integer("stride", 1, 16), integer("padding", 0, 31)),
    .limits = {"the filter fits the padded image and is at most 31 x 31, stride <= 16, "
               "padding <= 31, and an output adds up at most 18432 products",
               nearest},
    .cases = {{{1, 1, 1, 1, 1, 1, 1, 1, 0}},
              {{3, 3, 16, 13, 5, 8, 3, 8, 3}},
              {{8, 8, 8, 8, 5, 3, 3, 3, 3}},
              {{1, 2, 6, 6, 3, 2, 2, 16, 5}},
              {{1, 4, 13, 57, 3, 1, 7, 1, 3}, Values::outliers},
              {{1, 2, 41, 9, 4, 7, 1, 2, 0}},
              {{3, 8, 21, 35, 16, 3, 5, 8, 0}},
              {{1, 1, 12, 40, 2, 31, 31, 1, 10}},
              {{1, 5, 15, 16, 7, 1, 1, 2, 0}},
              {{3, 64, 3, 3, 63, 3, 3, 1, 0}, Values::whole_numbers},
              {{8, 3, 9, 11, 8, 8, 8, 3, 3}},
              {{3, 5, 9, 16, 7, 5, 8, 3, 8}, Values::whole_numbers},
              {{1, 3, 33, 34, 9, 7, 7, 2, 3}},
              {{2, 33, 14, 14, 32, 1, 1, 1, 0}},
              {{3, 17, 7, 7, 65, 3, 3, 1, 1}}},
    .large_cases = {{{2, 64, 56, 56, 64, 3, 3, 1, 1}},
                    {{3, 3, 113, 115, 65, 7, 7, 2, 3}, Values::outliers},
                    {{1, 257, 28, 28, 130, 1, 1, 1, 0}},
                    {{1, 512, 7, 7, 512, 3, 3, 1, 1}, Values::whole_numbers}},
    .bench_shapes = {{32, 64, 56, 56, 64, 3, 3, 1, 1},
                     {32, 256, 56, 56, 64, 1, 1, 1, 0},
                     {32, 3, 224, 224, 64, 7, 7, 2, 3},
                     {1, 512, 7, 7, 512, 3, 3, 1, 1}},
    .drawn_values = {Values::normal, Values::whole_numbers, Values::all_negative},
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::conv2d_nchw
