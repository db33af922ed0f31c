// One thread per output: k products, all operands from global memory.
//
// Neighbouring threads read neighbouring inputs, so loads of x are coalesced, and L1 serves the
// k-fold reuse. The sum is kept in a register: y arrives poisoned and is written once.
//
// Prediction: each product needs two loads, x and w. An SM issues about one load per clock and four
// warp-wide FFMAs, so at most 1/8 of the arithmetic peak is left: n = 2^24, k = 129 has a limit of
// 66 us at 65 TFLOP/s, and this takes 530 us or more.
// Measured: 592.6 us at 16777216x129, 11 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

constexpr int THREADS = 256;

__global__ void conv1d_kernel(const float* x, const float* w, float* y, int outputs, int k) {
  const size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
  if (i >= static_cast<size_t>(outputs)) return;
  float sum = 0.0f;
  for (int j = 0; j < k; ++j) sum += x[i + j] * w[j];
  y[i] = sum;
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  const int outputs = n - k + 1;
  conv1d_kernel<<<kata::ceil_div(outputs, THREADS), THREADS>>>(x, w, y, outputs, k);
}
