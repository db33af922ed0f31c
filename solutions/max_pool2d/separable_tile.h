#pragma once
// Rung 6's kernel: a tile of 32 x 32 outputs in shared memory, rows first, then columns.

#include "pool.h"

constexpr int SIDE = 32, SEPARABLE_WARPS = 8;
constexpr int MOST_STRIDE = 2, MOST_KERNEL = 31;

// Rows and columns of inputs that SIDE outputs need.
__host__ __device__ constexpr int side_of_inputs(int kernel_size, int stride) {
  return (SIDE - 1) * stride + kernel_size;
}

__host__ __device__ constexpr int separable_bytes(int kernel_size, int stride) {
  const int inputs = side_of_inputs(kernel_size, stride);
  return inputs * (inputs + SIDE) * 4;
}
static_assert(separable_bytes(MOST_KERNEL, MOST_STRIDE) <= 48 * 1024, "without an attribute");

// tile[r][c] = the input at (first_row + r, first_col + c), -infinity outside the plane. All
// threads of whole warps call it.
__device__ inline void load_inputs(float* tile, int pitch, int rows, int cols, const float* in,
                                   const Pool& pool, int first_row, int first_col, int warps) {
  for (int r = threadIdx.x / 32; r < rows; r += warps) {
    for (int c = threadIdx.x % 32; c < cols; c += 32) {
      const int row = first_row + r, col = first_col + c;
      const bool in_bounds = row >= 0 && row < pool.H && col >= 0 && col < pool.W;
      tile[r * pitch + c] = in_bounds ? in[row * pool.W + col] : -INFINITY;
    }
  }
}

__global__ void separable_kernel(const float* input, float* output, Pool pool,
                                 Tiles<SIDE, SIDE> tiles) {
  extern __shared__ float tile[];  // [inputs][inputs], then the maxima of rows: [inputs][SIDE]
  const int inputs = side_of_inputs(pool.kernel_size, pool.stride);
  float* of_rows = tile + inputs * inputs;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  load_inputs(tile, inputs, inputs, inputs, input + tiles.plane() * pool.plane_size(), pool,
              tiles.first_row() * pool.stride - pool.padding,
              tiles.first_col() * pool.stride - pool.padding, SEPARABLE_WARPS);
  __syncthreads();

  for (int r = warp; r < inputs; r += SEPARABLE_WARPS) {  // every input row
    const float* first = tile + r * inputs + lane * pool.stride;
    float best = first[0];
    for (int b = 1; b < pool.kernel_size; ++b) best = fmaxf(best, first[b]);
    of_rows[r * SIDE + lane] = best;
  }
  __syncthreads();

  const int out_col = tiles.first_col() + lane;
  float* out = output + tiles.plane() * pool.out_plane_size();
  for (int r = warp; r < SIDE; r += SEPARABLE_WARPS) {
    const float* first = of_rows + r * pool.stride * SIDE + lane;
    float best = first[0];
    for (int a = 1; a < pool.kernel_size; ++a) best = fmaxf(best, first[a * SIDE]);
    const int out_row = tiles.first_row() + r;
    if (out_row < pool.out_H && out_col < pool.out_W) out[out_row * pool.out_W + out_col] = best;
  }
}

// False for small windows and for large strides, whose windows share little.
inline bool launch_separable(const float* input, float* output, size_t planes, const Pool& pool) {
  if (pool.kernel_size <= 5 || pool.kernel_size > MOST_KERNEL) return false;
  if (pool.stride > MOST_STRIDE) return false;
  const Tiles<SIDE, SIDE> tiles(pool);
  const int bytes = separable_bytes(pool.kernel_size, pool.stride);
  separable_kernel<<<tiles.grid(planes), 32 * SEPARABLE_WARPS, bytes>>>(input, output, pool, tiles);
  return true;
}
