// A tree in shared memory: a block adds up its 256 products in eight steps, then does one atomic.
//
// Threads past the end contribute 0 and stay: every thread must reach every barrier.
//
// Prediction: 2^18 atomics at 2^26 take 0.46 ms at 1.76 ns each. The tree itself: an SM runs 8
// blocks at a time, 248 rounds of 700 ns for the loads and 8 x 60 clocks for the steps, 0.94 us:
// 0.23 ms, hidden behind the atomics. Expect 0.46 ms, 25 % of the limit (read).
// Measured: 508.3 us at 67108864, 23 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

constexpr int THREADS = 256;  // a power of two

__global__ void dot_kernel(const float* a, const float* b, float* result, int n) {
  __shared__ float partial[THREADS];
  const int tid = threadIdx.x;
  const unsigned i = blockIdx.x * THREADS + tid;
  partial[tid] = i < n ? a[i] * b[i] : 0.0f;
  __syncthreads();

  for (int s = THREADS / 2; s > 0; s /= 2) {
    if (tid < s) partial[tid] += partial[tid + s];
    __syncthreads();
  }

  if (tid == 0) atomicAdd(result, partial[0]);
}

extern "C" void dot(const float* a, const float* b, float* result, int n) {
  cudaMemsetAsync(result, 0, sizeof(float));
  dot_kernel<<<kata::ceil_div(n, THREADS), THREADS>>>(a, b, result, n);
}
