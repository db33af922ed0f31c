#pragma once
// The sizes of a convolution layer, and what follows from them. Tensors have at most 2^30 elements,
// so an int holds every offset.

#include <cuda_runtime.h>
#include <kata/kata.h>

struct ConvShape {
  int batch, in_channels, height, width, out_channels, kernel_rows, kernel_cols, stride, padding;
  int out_height, out_width;

  ConvShape(int batch_, int in_channels_, int height_, int width_, int out_channels_,
            int kernel_rows_, int kernel_cols_, int stride_, int padding_)
      : batch(batch_),
        in_channels(in_channels_),
        height(height_),
        width(width_),
        out_channels(out_channels_),
        kernel_rows(kernel_rows_),
        kernel_cols(kernel_cols_),
        stride(stride_),
        padding(padding_),
        out_height((height_ + 2 * padding_ - kernel_rows_) / stride_ + 1),
        out_width((width_ + 2 * padding_ - kernel_cols_) / stride_ + 1) {}

  __host__ __device__ int taps() const { return in_channels * kernel_rows * kernel_cols; }
  __host__ __device__ int plane() const { return out_height * out_width; }
  __host__ __device__ int pixels() const { return batch * plane(); }  // of all images
};

// Where the window of an output pixel begins in the input; outside it by up to `padding`.
struct Window {
  const float* image;  // channel 0
  int row, col;

  __device__ Window(const float* x, const ConvShape& s, int pixel) {
    const int place = pixel % s.plane();
    image = x + static_cast<size_t>(pixel / s.plane()) * s.in_channels * s.height * s.width;
    row = place / s.out_width * s.stride - s.padding;
    col = place % s.out_width * s.stride - s.padding;
  }

  // Row i and column j of the window in channel c; 0 outside the image. A negative number is larger
  // than any size when it is taken as unsigned, so one comparison checks both ends.
  __device__ float load(const ConvShape& s, int c, int i, int j) const {
    const int y = row + i, x = col + j;
    const bool in_bounds = static_cast<unsigned>(y) < static_cast<unsigned>(s.height) &&
                           static_cast<unsigned>(x) < static_cast<unsigned>(s.width);
    return in_bounds ? image[(c * s.height + y) * s.width + x] : 0.0f;
  }
};
