// Approximate exponential and division: one hardware instruction each instead of a subroutine.
//
// __expf(x) errs by at most 2 + 1.17 |x| ulp. That matters only for negative gates: for x > 0,
// exp(-x) is added to 1 and its error shrinks with it. __fdividef errs by 2 ulp, and returns 0 for
// denominators above 2^126. There the exact silu is below 1.1e-36. The tolerance allows both.
//
// Prediction: 20 instructions per output instead of 40. In its shorter life a thread spends a
// larger share waiting for loads: 100 us at n = 2^26. Missed: with 8 bytes in flight per thread
// latency is still the limit.
// Measured: 120.2 us at 67108864, 80 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

constexpr int THREADS = 256;

__device__ float silu(float x) {
  return __fdividef(x, 1.0f + __expf(-x));
}

__global__ void swiglu_kernel(const float* x, float* y, int outputs) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < outputs) y[i] = silu(x[i]) * x[i + outputs];
}

extern "C" void swiglu(const float* x, float* y, int n) {
  const int outputs = n / 2;
  const int grid = kata::ceil_div(outputs, THREADS);
  swiglu_kernel<<<grid, THREADS>>>(x, y, outputs);
}
