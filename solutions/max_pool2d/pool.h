#pragma once
// The sizes of a max pooling, as all rungs use them.

#include <kata/kata.h>
#include <math.h>

struct Pool {
  int H, W;          // of a plane of the input
  int out_H, out_W;  // of a plane of the output
  int kernel_size, stride, padding;

  __host__ __device__ size_t plane_size() const { return static_cast<size_t>(H) * W; }
  __host__ __device__ size_t out_plane_size() const { return static_cast<size_t>(out_H) * out_W; }
};

inline Pool pool_of(int H, int W, int kernel_size, int stride, int padding) {
  const int out_H = (H + 2 * padding - kernel_size) / stride + 1;  // rounded down
  const int out_W = (W + 2 * padding - kernel_size) / stride + 1;
  return {H, W, out_H, out_W, kernel_size, stride, padding};
}

// A one-dimensional grid with a block for each tile of ROWS x COLS outputs of each plane: gridDim.z
// ends at 65535, and there are more planes than that.
template <int ROWS, int COLS>
struct Tiles {
  unsigned down, across;

  explicit Tiles(const Pool& pool)
      : down(kata::ceil_div(pool.out_H, ROWS)), across(kata::ceil_div(pool.out_W, COLS)) {}

  unsigned grid(size_t planes) const { return static_cast<unsigned>(planes * down * across); }
  __device__ size_t plane() const { return blockIdx.x / (down * across); }
  __device__ int first_row() const { return blockIdx.x / across % down * ROWS; }
  __device__ int first_col() const { return blockIdx.x % across * COLS; }
};
