// 16 outputs per thread and float4 loads: 256 products for eight shared loads.
//
// Each step applies 16 taps to a window of 32 inputs (common/sliding_window.h): four float4 loads
// bring the next 16 inputs, four more bring the taps. The taps lie in shared memory as well: 2048
// of them do not stay in the constant cache of 2 KiB. Padding in the tile keeps the loads of inputs
// free of bank conflicts. The results go through the tile, so that stores are coalesced.
//
// Prediction: an input vector costs 4 turns, a tap vector 1: 20 turns of the load units per 64
// clocks of FFMAs. 256 of 270 instructions are FFMAs: 90 % of the peak, 74 us at n = 2^24, k = 129
// and 1.17 ms at k = 2047.
// Measured: 121.3 us at 16777216x129, 54 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "../common/sliding_window.h"
#include "guarded4.h"

constexpr int THREADS = 128;
constexpr int R = 16;  // outputs per thread, and taps per step
constexpr int TILE = THREADS * R;

// Taps rounded up to whole steps.
__host__ __device__ constexpr int whole_steps(int k) {
  return (k + R - 1) / R * R;
}

__global__ void __launch_bounds__(THREADS)
    conv1d_kernel(const float* x, const float* w, float* y, int n, int k) {
  extern __shared__ float4 taps[];  // [whole_steps(k) / 4], then the tile
  const int tid = threadIdx.x;
  const int outputs = n - k + 1;
  const int vectors = (TILE + whole_steps(k)) / 4;
  float4* tile = taps + whole_steps(k) / 4;
  const size_t first = static_cast<size_t>(blockIdx.x) * TILE;
  for (int i = tid; i < whole_steps(k) / 4; i += THREADS) taps[i] = load4(w, 4 * i, k);
  for (int i = tid; i < vectors; i += THREADS) tile[padded(i)] = load4(x, first + 4 * i, n);
  __syncthreads();

  float acc[R] = {};
  add_taps(acc, tile + padded(tid * R / 4), taps, k);

  __syncthreads();  // all threads are done with the inputs
#pragma unroll
  for (int v = 0; v < R / 4; ++v) {
    const float* sums = acc + 4 * v;
    tile[padded(tid * R / 4 + v)] = make_float4(sums[0], sums[1], sums[2], sums[3]);
  }
  __syncthreads();
  for (int i = tid; i < TILE / 4; i += THREADS) store4(y, first + 4 * i, outputs, tile[padded(i)]);
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  const int vectors = (TILE + whole_steps(k)) / 4;
  const size_t bytes = (whole_steps(k) / 4 + padded(vectors)) * sizeof(float4);
  conv1d_kernel<<<kata::ceil_div(n - k + 1, TILE), THREADS, bytes>>>(x, w, y, n, k);
}
