// Four outputs per thread, with a float4 from each half of x.
//
// The second half begins at x + n / 2. That is a multiple of 16 bytes only if n / 2 is a multiple
// of 4, however x is aligned. For any other n the scalar kernel runs. A float4 load from a
// misaligned address is an error on the device, not a slow access.
// The rung to reach in 30 minutes.
//
// Prediction: 32 bytes in flight per thread instead of 8, and a third of the instructions: memory
// is the only limit, 93 us at n = 2^26. With n / 2 % 4 != 0 the time stays that of the rung before.
// Measured: 92.6 us at 67108864, 103 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/load4.h"

constexpr int THREADS = 256;

__device__ float silu(float x) {
  return __fdividef(x, 1.0f + __expf(-x));
}

__global__ void vector_kernel(const float* x, float* y, int outputs) {
  const int i = 4 * (blockIdx.x * THREADS + threadIdx.x);
  if (i >= outputs) return;
  const Vec4 gate = load4(x + i);
  const Vec4 up = load4(x + outputs + i);
  Vec4 product;
#pragma unroll
  for (int k = 0; k < 4; ++k) product.at[k] = silu(gate.at[k]) * up.at[k];
  store4(y + i, product);
}

__global__ void scalar_kernel(const float* x, float* y, int outputs) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < outputs) y[i] = silu(x[i]) * x[i + outputs];
}

extern "C" void swiglu(const float* x, float* y, int n) {
  const int outputs = n / 2;
  if (outputs % 4 == 0) {
    const int grid = (outputs - 1) / (4 * THREADS) + 1;
    vector_kernel<<<grid, THREADS>>>(x, y, outputs);
  } else {
    const int grid = kata::ceil_div(outputs, THREADS);
    scalar_kernel<<<grid, THREADS>>>(x, y, outputs);
  }
}
