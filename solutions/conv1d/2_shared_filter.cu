// The filter in shared memory, four taps per load.
//
// All lanes use the same tap at the same time. A float4 in shared memory that all lanes read is one
// access for four taps. Constant memory is the textbook answer, but a kernel reads an index that it
// computes from there at one value per 15 clocks or so: 984 us at n = 2^24, k = 129 (H200).
//
// Prediction: 5 loads for 4 products where rung 1 has 8. If the load units stay the limit, 330 us
// at n = 2^24, k = 129.
// Measured: 448.8 us at 16777216x129, 15 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "guarded4.h"

constexpr int THREADS = 256;

__global__ void conv1d_kernel(const float* x, const float* w, float* y, int outputs, int k) {
  extern __shared__ float4 taps[];  // [k / 4 + 1], with zeros past the last tap
  for (int j = threadIdx.x; j < k / 4 + 1; j += THREADS) taps[j] = load4(w, 4 * j, k);
  __syncthreads();

  const size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
  if (i >= static_cast<size_t>(outputs)) return;
  float sum = 0.0f;
  for (int j = 0; j < k / 4; ++j) {
    const float4 w4 = taps[j];
    const float* in = x + i + 4 * j;
    sum += in[0] * w4.x;
    sum += in[1] * w4.y;
    sum += in[2] * w4.z;
    sum += in[3] * w4.w;
  }
  const float* rest = reinterpret_cast<const float*>(taps);
  for (int j = k / 4 * 4; j < k; ++j) sum += x[i + j] * rest[j];
  y[i] = sum;
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  const int outputs = n - k + 1;
  const size_t bytes = (k / 4 + 1) * sizeof(float4);
  conv1d_kernel<<<kata::ceil_div(outputs, THREADS), THREADS, bytes>>>(x, w, y, outputs, k);
}
