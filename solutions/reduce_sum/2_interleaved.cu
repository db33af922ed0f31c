// A tree in shared memory: a block adds its 512 elements in nine steps, then does one atomic.
//
// In the step with distance s, threads whose index is a multiple of 2 s add their neighbour at
// that distance. In the first five steps every warp has active lanes: 16 of 32, then 8, 4, 2, 1. A
// warp with one active lane takes as long as a full one.
//
// Prediction: one atomic per 512 elements, 32768 at 2^24: 17 us. An SM holds 4 such blocks at a
// time, so 62 run one after the other, and each waits 700 ns for its load and 60 clocks for each
// step and barrier: 62 * 0.97 us = 60 us. Issue slots (54 us) and shared memory wavefronts (36 us)
// overlap only in part: 60 to 100 us.
// Measured: 86.6 us at 16777216, 22 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

constexpr int THREADS = 512;  // a power of two

__global__ void reduce_sum_kernel(const float* x, float* sum, int n) {
  __shared__ float partial[THREADS];
  const int tid = threadIdx.x;
  const int i = blockIdx.x * THREADS + tid;
  partial[tid] = i < n ? x[i] : 0.0f;  // no early return: every thread must reach the barriers
  __syncthreads();

  for (int s = 1; s < THREADS; s *= 2) {
    if (tid % (2 * s) == 0) partial[tid] += partial[tid + s];
    __syncthreads();
  }

  if (tid == 0) atomicAdd(sum, partial[0]);
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  cudaMemsetAsync(sum, 0, sizeof(float));
  reduce_sum_kernel<<<kata::ceil_div(n, THREADS), THREADS>>>(x, sum, n);
}
