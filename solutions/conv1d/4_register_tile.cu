// Seven outputs per thread: the window of inputs slides through registers.
//
// Neighbouring outputs share all inputs but one. For four taps a thread needs 10 inputs; it keeps 7
// of them from the step before and loads 4 new ones (common/sliding_window.h). Lanes read shared
// memory with stride 7: an odd stride puts 32 lanes into 32 banks.
//
// Prediction: 5 loads for 28 products instead of 35, so arithmetic becomes the limit: 28 of about
// 37 instructions are FFMAs, 75 % of the peak, 88 us at n = 2^24, k = 129, four times rung 3.
// Measured: 134.3 us at 16777216x129, 49 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "../common/sliding_window.h"
#include "guarded4.h"

constexpr int THREADS = 256;
constexpr int R = 7;  // outputs per thread, odd against bank conflicts
constexpr int TILE = THREADS * R;

__global__ void conv1d_kernel(const float* x, const float* w, float* y, int n, int k) {
  extern __shared__ float4 taps[];  // [steps], then the tile of TILE + 4 * steps floats
  const int tid = threadIdx.x;
  const int steps = (k + 3) / 4;
  float* tile = reinterpret_cast<float*>(taps + steps);
  const size_t first = static_cast<size_t>(blockIdx.x) * TILE;
  for (int j = tid; j < steps; j += THREADS) taps[j] = load4(w, 4 * j, k);
  for (int i = tid; i < TILE + 4 * steps; i += THREADS) {
    tile[i] = first + i < static_cast<size_t>(n) ? x[first + i] : 0.0f;
  }
  __syncthreads();

  const float* in = tile + tid * R;
  float acc[R] = {};
  float window[R + 4];
#pragma unroll
  for (int r = 0; r < R; ++r) window[r] = in[r];
#pragma unroll 2
  for (int j = 0; j < steps; ++j) {
    const float4 w4 = taps[j];
    const float four_taps[4] = {w4.x, w4.y, w4.z, w4.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) window[R + i] = in[R + 4 * j + i];
    apply<4>(acc, window, four_taps);
#pragma unroll
    for (int r = 0; r < R; ++r) window[r] = window[r + 4];
  }

#pragma unroll
  for (int r = 0; r < R; ++r) {
    const size_t i = first + tid * R + r;
    if (i + k <= static_cast<size_t>(n)) y[i] = acc[r];
  }
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  const int steps = (k + 3) / 4;
  const size_t bytes = steps * sizeof(float4) + (TILE + 4 * steps) * sizeof(float);
  conv1d_kernel<<<kata::ceil_div(n - k + 1, TILE), THREADS, bytes>>>(x, w, y, n, k);
}
