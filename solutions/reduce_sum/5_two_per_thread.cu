// Two elements per thread: the first addition happens during the load, with half the blocks.
//
// In rung 4 half of the threads load an element, store it, and never add anything. Here a block
// takes 1024 elements. A thread's two elements are one block width apart, so both loads are
// coalesced.
//
// Prediction: 31 blocks run one after the other instead of 62. Each waits no longer than before,
// because its two loads are in flight together: 30 us at 2^24, half of rung 4. Half of the
// atomics, too.
// Measured: 47.6 us at 16777216, 39 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

constexpr int THREADS = 512;  // a power of two
constexpr int PER_BLOCK = 2 * THREADS;

__global__ void reduce_sum_kernel(const float* x, float* sum, int n) {
  __shared__ float partial[THREADS];
  const int tid = threadIdx.x;
  const int i = blockIdx.x * PER_BLOCK + tid;
  const float low = i < n ? x[i] : 0.0f;
  const float high = i + THREADS < n ? x[i + THREADS] : 0.0f;
  partial[tid] = low + high;
  __syncthreads();

  for (int s = THREADS / 2; s > 0; s /= 2) {
    if (tid < s) partial[tid] += partial[tid + s];
    __syncthreads();
  }

  if (tid == 0) atomicAdd(sum, partial[0]);
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  cudaMemsetAsync(sum, 0, sizeof(float));
  reduce_sum_kernel<<<kata::ceil_div(n, PER_BLOCK), THREADS>>>(x, sum, n);
}
