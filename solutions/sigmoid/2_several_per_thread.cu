// Four elements per thread, one block width apart; all loads are issued before the first store.
//
// With that distance each load of a warp still covers 128 consecutive bytes, 4 sectors. Four
// neighbouring elements per thread, read one by one, would touch 16 sectors per load. The loads
// come first because the compiler may not move a load above a store that could alias it.
//
// Prediction: 8 bytes per element, with 4 loads in flight per thread. 2048 threads have 33 KB in
// flight, nearly three times what an SM needs, so other threads may compute meanwhile. Memory is
// the limit: 125 us at 2^26.
// Measured: 130.5 us at 67108864, 97 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include <math.h>

constexpr int THREADS = 256;
constexpr int PER_THREAD = 4;
constexpr int PER_BLOCK = THREADS * PER_THREAD;

__device__ float sigmoid_of(float x) {
  return 1.0f / (1.0f + expf(-x));
}

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  const int first = blockIdx.x * PER_BLOCK + threadIdx.x;
  float v[PER_THREAD];  // in registers: unrolling turns every index into a constant
#pragma unroll
  for (int k = 0; k < PER_THREAD; ++k) {
    const int i = first + k * THREADS;
    v[k] = i < n ? x[i] : 0.0f;
  }
#pragma unroll
  for (int k = 0; k < PER_THREAD; ++k) {
    const int i = first + k * THREADS;
    if (i < n) y[i] = sigmoid_of(v[k]);
  }
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  sigmoid_kernel<<<kata::ceil_div(n, PER_BLOCK), THREADS>>>(x, y, n);
}
