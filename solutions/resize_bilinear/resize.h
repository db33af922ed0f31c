#pragma once
// Sizes and coordinates of a bilinear resize, as all rungs use them.

#include <kata/kata.h>

struct Resize {
  int H, W;                // of a plane of the input
  int H_out, W_out;        // of a plane of the output
  float ratio_y, ratio_x;  // input pixels per output pixel

  __host__ __device__ size_t plane_size() const { return static_cast<size_t>(H) * W; }
  __host__ __device__ size_t out_plane_size() const { return static_cast<size_t>(H_out) * W_out; }
};

inline Resize resize_of(int H, int W, int H_out, int W_out) {
  return {H, W, H_out, W_out, static_cast<float>(H) / H_out, static_cast<float>(W) / W_out};
}

// The two inputs that an output lies between along one axis, and the weight of the second.
struct Taps {
  int low, high;
  float weight;
};

// Of output `place`. Past the last input both taps are the last one: the weight does not matter.
__device__ inline Taps taps_of(int place, float ratio, int size) {
  const float s = fmaxf((place + 0.5f) * ratio - 0.5f, 0.0f);
  const int low = min(static_cast<int>(s), size - 1);
  return {low, min(low + 1, size - 1), s - low};
}

__device__ inline float mix(float low, float high, float weight) {
  return low + weight * (high - low);
}

// A one-dimensional grid with a block for each tile of ROWS x COLS outputs of each layer: gridDim.z
// ends at 65535, and there may be more planes. A layer is a plane, or several of them.
template <int ROWS, int COLS>
struct Tiles {
  unsigned down, across;

  explicit Tiles(const Resize& resize)
      : down(kata::ceil_div(resize.H_out, ROWS)), across(kata::ceil_div(resize.W_out, COLS)) {}

  unsigned grid(size_t layers) const { return static_cast<unsigned>(layers * down * across); }
  __device__ size_t layer() const { return blockIdx.x / (down * across); }
  __device__ int first_row() const { return blockIdx.x / across % down * ROWS; }
  __device__ int first_col() const { return blockIdx.x % across * COLS; }
};
