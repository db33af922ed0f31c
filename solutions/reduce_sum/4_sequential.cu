// Sequential addressing: the upper half is added to the lower half, so lanes read neighbours.
//
// 32 neighbouring words lie in 32 banks: one wavefront. The pairs differ from those before, which
// changes only the rounding.
//
// Prediction: 20 warps per block with one wavefront per access: 60 wavefronts instead of 285, 7.5
// us at 2^24 instead of 36. The waiting remains: 62 blocks one after the other, each with 700 ns
// for its load and nine barriers: 60 us. Missed: a step with its barrier costs about 125 clocks,
// not 60.
// Measured: 84.5 us at 16777216, 22 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

constexpr int THREADS = 512;  // a power of two

__global__ void reduce_sum_kernel(const float* x, float* sum, int n) {
  __shared__ float partial[THREADS];
  const int tid = threadIdx.x;
  const int i = blockIdx.x * THREADS + tid;
  partial[tid] = i < n ? x[i] : 0.0f;  // no early return: every thread must reach the barriers
  __syncthreads();

  for (int s = THREADS / 2; s > 0; s /= 2) {
    if (tid < s) partial[tid] += partial[tid + s];
    __syncthreads();
  }

  if (tid == 0) atomicAdd(sum, partial[0]);
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  cudaMemsetAsync(sum, 0, sizeof(float));
  reduce_sum_kernel<<<kata::ceil_div(n, THREADS), THREADS>>>(x, sum, n);
}
