// Seven outputs per thread: the window of inputs slides through registers.
//
// Neighbouring outputs share all inputs but one. A thread keeps the 7 inputs of the current tap in
// registers, multiplies them by that tap, and loads one new input per tap. Lanes read shared memory
// with stride 7: an odd stride puts 32 lanes into 32 banks. Unrolled 7 times, the shift of the
// window is renaming and costs no instructions.
//
// Prediction: one shared load per 7 products. The load units need 1 clock where the arithmetic
// needs 7 / 4, so arithmetic becomes the limit. With loads and the uniform tap, 7 of about 9
// instructions are FFMAs: 75 % of the peak, 90 us at n = 2^24, k = 129, three times rung 3.
// Measured: not yet
#include <kata/kata.h>

constexpr int THREADS = 256;
constexpr int R = 7;  // outputs per thread, odd against bank conflicts
constexpr int TILE = THREADS * R;
constexpr int MAX_TAPS = 2048;

__constant__ float filter[MAX_TAPS];

__global__ void conv1d_kernel(const float* x, float* y, int n, int k) {
  extern __shared__ float tile[];  // [TILE + k]
  const int tid = threadIdx.x;
  const size_t first = static_cast<size_t>(blockIdx.x) * TILE;
  for (int i = tid; i < TILE + k; i += THREADS) {
    tile[i] = first + i < static_cast<size_t>(n) ? x[first + i] : 0.0f;
  }
  __syncthreads();

  const float* in = tile + tid * R;
  float acc[R] = {};
  float window[R];
#pragma unroll
  for (int r = 0; r < R; ++r) window[r] = in[r];
#pragma unroll 7
  for (int j = 0; j < k; ++j) {
    const float tap = filter[j];
#pragma unroll
    for (int r = 0; r < R; ++r) acc[r] += window[r] * tap;
#pragma unroll
    for (int r = 0; r < R - 1; ++r) window[r] = window[r + 1];
    window[R - 1] = in[j + R];
  }

#pragma unroll
  for (int r = 0; r < R; ++r) {
    const size_t i = first + tid * R + r;
    if (i + k <= static_cast<size_t>(n)) y[i] = acc[r];
  }
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  const int outputs = n - k + 1;
  const size_t bytes = (TILE + k) * sizeof(float);
  cudaMemcpyToSymbolAsync(filter, w, k * sizeof(float), 0, cudaMemcpyDeviceToDevice);
  conv1d_kernel<<<(outputs - 1) / TILE + 1, THREADS, bytes>>>(x, y, n, k);
}
