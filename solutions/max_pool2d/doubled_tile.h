#pragma once
// Rung 7's kernel: a tile of 64 x 64 outputs, whose windows are doubled in registers.

#include "separable_tile.h"

constexpr int RUN = 8;         // outputs per thread and step
constexpr int TILE_SIDE = 64;  // outputs of a block
constexpr int RUNS = TILE_SIDE / RUN;
constexpr int DOUBLED_THREADS = 256;

// x[i] is the maximum of W places from i on. Afterwards x[0] to x[RUN - 1] are those of K places.
template <int W, int K, int SIZE>
__device__ __forceinline__ void widen(float (&x)[SIZE]) {
  if constexpr (2 * W <= K) {
#pragma unroll
    for (int i = 0; i <= SIZE - 2 * W; ++i) x[i] = fmaxf(x[i], x[i + W]);
    widen<2 * W, K>(x);
  } else {
#pragma unroll
    for (int i = 0; i < RUN; ++i) x[i] = fmaxf(x[i], x[i + K - W]);
  }
}

template <int K>
struct DoublingShared {
  static constexpr int INPUTS = TILE_SIDE + K - 1, PITCH = pitch_of(INPUTS);
  float inputs[INPUTS * PITCH];
  float of_rows[INPUTS][TILE_SIDE + 1];
};

template <int K>
__global__ void __launch_bounds__(DOUBLED_THREADS)
    doubling_kernel(const float* input, float* output, Pool pool, Tiles<TILE_SIDE, TILE_SIDE> tiles,
                    bool wide) {
  using Shared = DoublingShared<K>;
  __shared__ Shared shared;
  const float* tile = load_inputs(
      shared.inputs, Shared::INPUTS, Shared::INPUTS, input + tiles.plane() * pool.plane_size(),
      pool, tiles.first_row() - pool.padding, tiles.first_col() - pool.padding, wide);
  __syncthreads();

  float x[RUN + K - 1];
  for (int task = threadIdx.x; task < Shared::INPUTS * RUNS; task += DOUBLED_THREADS) {
    const int row = task % Shared::INPUTS, first = task / Shared::INPUTS * RUN;
#pragma unroll
    for (int i = 0; i < RUN + K - 1; ++i) x[i] = tile[row * Shared::PITCH + first + i];
    widen<1, K>(x);
#pragma unroll
    for (int i = 0; i < RUN; ++i) shared.of_rows[row][first + i] = x[i];
  }
  __syncthreads();

  float* out = output + tiles.plane() * pool.out_plane_size();
  for (int task = threadIdx.x; task < TILE_SIDE * RUNS; task += DOUBLED_THREADS) {
    const int col = task % TILE_SIDE, first = task / TILE_SIDE * RUN;
    const int out_col = tiles.first_col() + col;
#pragma unroll
    for (int i = 0; i < RUN + K - 1; ++i) x[i] = shared.of_rows[first + i][col];
    widen<1, K>(x);
#pragma unroll
    for (int i = 0; i < RUN; ++i) {
      const int out_row = tiles.first_row() + first + i;
      if (out_row < pool.out_H && out_col < pool.out_W) out[out_row * pool.out_W + out_col] = x[i];
    }
  }
}

// False if the pooling has another window.
template <int K>
bool launch_doubling(const float* input, float* output, size_t planes, const Pool& pool) {
  if (pool.kernel_size != K || pool.stride != 1) return false;
  const Tiles<TILE_SIDE, TILE_SIDE> tiles(pool);
  doubling_kernel<K>
      <<<tiles.grid(planes), DOUBLED_THREADS>>>(input, output, pool, tiles, is_wide(input, pool));
  return true;
}
