// Packed threads: the first 256, then 128, ... threads do the additions, so whole warps drop out.
//
// The pairs are those of rung 2, but thread t handles pair t and reads partial[2 s t]. This
// removes divergence and the modulo, but causes bank conflicts: 2-way at s = 1, 4-way at s = 2,
// 16-way at s = 8.
//
// Prediction: 20 warps per block do work where 95 did: half the instructions. But the wavefronts
// are the same, 285 per block: 8 warps with 2 per access, 4 with 4, 2 with 8, 1 with 16, and so
// on. All warps wait at the barrier for a warp with 16 wavefronts. No gain, or a loss: divergence
// became bank conflicts.
// Measured: 104.1 us at 16777216, 18 % of the limit (H200, 2026-11-23)
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
