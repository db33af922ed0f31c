#pragma once
// Rung 6's kernel: a tile of 32 x 32 outputs in shared memory, rows first, then columns.

#include "../common/aligned.h"
#include "../common/load4.h"
#include "pool.h"

constexpr int SIDE = 32, SEPARABLE_WARPS = 8;
constexpr int MOST_STRIDE = 2, MOST_KERNEL = 31;

// Rows and columns of inputs that SIDE outputs need.
__host__ __device__ constexpr int side_of_inputs(int kernel_size, int stride) {
  return (SIDE - 1) * stride + kernel_size;
}

// Words of a row of the tile: whole vectors, which may begin 3 places before the first input. Odd,
// so that lanes in different rows meet no bank conflict.
__host__ __device__ constexpr int pitch_of(int inputs) {
  return (inputs + 6) / 4 * 4 + 1;
}

__host__ __device__ constexpr int separable_bytes(int kernel_size, int stride) {
  const int inputs = side_of_inputs(kernel_size, stride);
  return inputs * (pitch_of(inputs) + SIDE) * 4;
}
static_assert(separable_bytes(MOST_KERNEL, MOST_STRIDE) <= 48 * 1024, "without an attribute");

// tile[r][c] = the input at (first_row + r, first_col + c), -infinity outside the plane. Rows are
// pitch_of(cols) words apart. Returns tile[0]. If `wide`, rows of the plane are whole float4, and
// every load is one: inside the row or outside, never both.
__device__ inline const float* load_inputs(float* tile, int rows, int cols, const float* in,
                                           const Pool& pool, int first_row, int first_col,
                                           bool wide) {
  const int pitch = pitch_of(cols);
  const int before = first_col & 3;  // places to the multiple of 4 before
  const int vectors = pitch / 4;
  for (int v = threadIdx.x; v < rows * vectors; v += blockDim.x) {
    const int r = v / vectors, c = v % vectors * 4;
    const int row = first_row + r, col = first_col - before + c;
    const bool in_row = row >= 0 && row < pool.H;
    Vec4 four = {{-INFINITY, -INFINITY, -INFINITY, -INFINITY}};
    if (wide) {
      if (in_row && col >= 0 && col < pool.W) four = load4(in + row * pool.W + col);
    } else {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        if (in_row && col + e >= 0 && col + e < pool.W) four.at[e] = in[row * pool.W + col + e];
      }
    }
#pragma unroll
    for (int e = 0; e < 4; ++e) tile[r * pitch + c + e] = four.at[e];
  }
  return tile + before;
}

// Whether load_inputs() may load vectors.
inline bool is_wide(const float* input, const Pool& pool) {
  return pool.W % 4 == 0 && is_aligned16(input);
}

__global__ void separable_kernel(const float* input, float* output, Pool pool,
                                 Tiles<SIDE, SIDE> tiles, bool wide) {
  extern __shared__ float memory[];  // the tile, then the maxima of its rows: [inputs][SIDE]
  const int inputs = side_of_inputs(pool.kernel_size, pool.stride), pitch = pitch_of(inputs);
  float* of_rows = memory + inputs * pitch;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const float* tile =
      load_inputs(memory, inputs, inputs, input + tiles.plane() * pool.plane_size(), pool,
                  tiles.first_row() * pool.stride - pool.padding,
                  tiles.first_col() * pool.stride - pool.padding, wide);
  __syncthreads();

  for (int r = warp; r < inputs; r += SEPARABLE_WARPS) {  // every input row
    const float* first = tile + r * pitch + lane * pool.stride;
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
  separable_kernel<<<tiles.grid(planes), 32 * SEPARABLE_WARPS, bytes>>>(input, output, pool, tiles,
                                                                        is_wide(input, pool));
  return true;
}
