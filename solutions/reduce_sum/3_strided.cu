// Packed threads: the first 256, then 128, ... threads do the additions, so whole warps drop out.
//
// The pairs are those of the rung before, but thread t takes the t-th of them and reads partial[2 s
// t]. At s = 1 the lanes of a warp meet two by two in a bank, at s = 2 four by four, at s = 8
// sixteen.
//
// Prediction: 20 warps a block do work (8 + 4 + 2 + 1 and five times 1) where 95 did, and the
// modulo is gone: half of the instructions. But the wavefronts of shared memory are what they were:
// 8 warps with 2 for each access, 4 with 4, 2 with 8, 1 with 16, then 16, 8, 4, 2, 1 come to 95
// again, 285 with two loads and a store. And they come at the worst time: a step of 16 wavefronts
// in one warp is one that all others wait for at the barrier. No gain, or a loss: divergence is now
// paid for as bank conflicts.
// Measured: 108.1 us at 16777216, 20 % of the limit (H200, 2026-11-22)
#include <kata/kata.h>

constexpr int THREADS = 512;  // a power of two

__global__ void reduce_sum_kernel(const float* x, float* sum, int n) {
  __shared__ float partial[THREADS];
  const int tid = threadIdx.x;
  const int i = blockIdx.x * THREADS + tid;
  partial[tid] = i < n ? x[i] : 0.0f;  // no early return: every thread must reach the barriers
  __syncthreads();

  for (int s = 1; s < THREADS; s *= 2) {
    const int index = 2 * s * tid;
    if (index < THREADS) partial[index] += partial[index + s];
    __syncthreads();
  }

  if (tid == 0) atomicAdd(sum, partial[0]);
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  cudaMemsetAsync(sum, 0, sizeof(float));
  reduce_sum_kernel<<<kata::ceil_div(n, THREADS), THREADS>>>(x, sum, n);
}
