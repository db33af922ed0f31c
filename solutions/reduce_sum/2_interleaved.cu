// A tree in shared memory: a block adds up its 512 elements in nine steps, then does one atomic.
//
// At the step with distance s the threads whose index is a multiple of 2 s add their neighbour at
// that distance. The working threads are spread out: in the first five steps every warp has some,
// 16 of its 32 lanes, then 8, 4, 2, 1. A warp with one working lane takes as long as a full one.
//
// Prediction: one atomic for 512 elements, 32768 at 2^24: 17 us at one a clock. An SM has room for
// 4 such blocks, so 62 follow each other in each place, and each waits 700 ns for its load and then
// some 60 clocks for each step and its barrier: 62 * 0.97 us = 60 us. Beside that 16 warps go
// through 9 steps of some 12 instructions, 54 us of issue slots, and 95 warps a block have work,
// with two loads and a store each: 285 wavefronts, 36 us of shared memory. None of the three hides
// the others completely: 60 to 100 us.
// Measured: 91.6 us at 16777216, 24 % of the limit (H200, 2026-11-22)
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
