// Windows are doubled in registers: of 1, 2, 4 and 8 places, then two that overlap make any size.
//
// A place may count twice in a maximum. So the largest of 13 is the larger of two windows of 8 that
// begin 5 apart, and a window of 8 takes three steps from single places. A thread loads 8 + K - 1
// values from shared memory and makes eight outputs of them, along a row and then along a column. A
// block of 64 x 64 outputs needs 1.4 inputs per output, one of 32 x 32 needs 1.9. 7, 9 and 13 with
// stride 1 are compiled; other windows take rung 6.
//
// Prediction: 4x64x256x256 with 3 x 3, stride 2 as rung 5. 8x64x256x256 with 13 x 13, stride 1: 9
// accesses to shared memory per output, 42 us, and 17 comparisons at half rate, 38 us, next to 63
// us of memory time. Five blocks per SM overlap them in part: 107 us.
// Measured: 23.0 us at 4x64x256x256x3x2x1, 96 % of the limit (H200, 2026-11-29)
#include "separable_tile.h"
#include "vector_window.h"

constexpr int RUN = 8;       // outputs per thread and step
constexpr int TILE_SIDE = 64;  // outputs of a block
constexpr int RUNS = TILE_SIDE / RUN;
constexpr int THREADS = 256;

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
__global__ void __launch_bounds__(THREADS)
    doubling_kernel(const float* input, float* output, Pool pool,
                    Tiles<TILE_SIDE, TILE_SIDE> tiles, bool wide) {
  using Shared = DoublingShared<K>;
  __shared__ Shared shared;
  const float* tile =
      load_inputs(shared.inputs, Shared::INPUTS, Shared::INPUTS,
                  input + tiles.plane() * pool.plane_size(), pool,
                  tiles.first_row() - pool.padding, tiles.first_col() - pool.padding, wide);
  __syncthreads();

  float x[RUN + K - 1];
  for (int task = threadIdx.x; task < Shared::INPUTS * RUNS; task += THREADS) {
    const int row = task % Shared::INPUTS, first = task / Shared::INPUTS * RUN;
#pragma unroll
    for (int i = 0; i < RUN + K - 1; ++i) x[i] = tile[row * Shared::PITCH + first + i];
    widen<1, K>(x);
#pragma unroll
    for (int i = 0; i < RUN; ++i) shared.of_rows[row][first + i] = x[i];
  }
  __syncthreads();

  float* out = output + tiles.plane() * pool.out_plane_size();
  for (int task = threadIdx.x; task < TILE_SIDE * RUNS; task += THREADS) {
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
  doubling_kernel<K><<<tiles.grid(planes), THREADS>>>(input, output, pool, tiles,
                                                      is_wide(input, pool));
  return true;
}

extern "C" void max_pool2d(const float* input, float* output, int N, int C, int H, int W,
                           int kernel_size, int stride, int padding) {
  const Pool pool = pool_of(H, W, kernel_size, stride, padding);
  const size_t planes = static_cast<size_t>(N) * C;
  if (launch_doubling<7>(input, output, planes, pool)) return;
  if (launch_doubling<9>(input, output, planes, pool)) return;
  if (launch_doubling<13>(input, output, planes, pool)) return;
  if (launch_separable(input, output, planes, pool)) return;
  launch_small(input, output, planes, pool);
}
