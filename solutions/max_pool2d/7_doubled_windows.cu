// Windows are doubled in registers: of 1, 2, 4 and 8 places, then two that overlap make any size.
//
// A place may count twice in a maximum. So the largest of 13 is the larger of two windows of 8 that
// begin 5 apart, and a window of 8 takes three steps from single places. A thread loads 8 + K - 1
// values from shared memory and makes eight outputs of them, along a row and then along a column.
// In the first pass lanes are in different rows, an odd number of words apart: no bank conflicts.
// 7, 9 and 13 with stride 1 are compiled; other windows take rung 6.
//
// Prediction: 4x64x256x256 with 3 x 3, stride 2 as rung 5. 8x64x256x256 with 13 x 13, stride 1: 9
// accesses to shared memory per output, 42 us, and 17 comparisons at half rate, 38 us, next to 63
// us of memory time: 80 us.
// Measured: 22.8 us at 4x64x256x256x3x2x1, 96 % of the limit (H200, 2026-11-28)
#include "separable_tile.h"
#include "vector_window.h"

constexpr int RUN = 8;  // outputs per thread and step
constexpr int RUNS = SIDE / RUN;
constexpr int WARPS = 4, THREADS = 32 * WARPS;

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
__global__ void __launch_bounds__(THREADS)
    doubling_kernel(const float* input, float* output, Pool pool, Tiles<SIDE, SIDE> tiles) {
  constexpr int INPUTS = SIDE + K - 1, PITCH = INPUTS | 1, ROW_PITCH = SIDE + 1;
  __shared__ float tile[INPUTS * PITCH];
  __shared__ float of_rows[INPUTS * ROW_PITCH];
  const int lane = threadIdx.x % 32;
  load_inputs(tile, PITCH, INPUTS, INPUTS, input + tiles.plane() * pool.plane_size(), pool,
              tiles.first_row() - pool.padding, tiles.first_col() - pool.padding, WARPS);
  __syncthreads();

  float x[RUN + K - 1];
  for (int task = threadIdx.x; task < INPUTS * RUNS; task += THREADS) {
    const int row = task % INPUTS, first = task / INPUTS * RUN;
#pragma unroll
    for (int i = 0; i < RUN + K - 1; ++i) x[i] = tile[row * PITCH + first + i];
    widen<1, K>(x);
#pragma unroll
    for (int i = 0; i < RUN; ++i) of_rows[row * ROW_PITCH + first + i] = x[i];
  }
  __syncthreads();

  const int out_col = tiles.first_col() + lane;
  float* out = output + tiles.plane() * pool.out_plane_size();
  for (int first = threadIdx.x / 32 * RUN; first < SIDE; first += WARPS * RUN) {
#pragma unroll
    for (int i = 0; i < RUN + K - 1; ++i) x[i] = of_rows[(first + i) * ROW_PITCH + lane];
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
  const Tiles<SIDE, SIDE> tiles(pool);
  doubling_kernel<K><<<tiles.grid(planes), THREADS>>>(input, output, pool, tiles);
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
