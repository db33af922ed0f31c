// Every thread adds its element to one address with atomicAdd: right, but serialized.
//
// The output arrives with arbitrary contents (here NaN), so it is set to 0 first, in the same
// stream. The order of the additions, and so the rounding, differs from run to run.
//
// Prediction: L2 performs at most one addition per clock on one address. 2^24 elements need at
// least 8.5 ms at 1.98 GHz, where reading them takes 16 us. Wider loads or more threads cannot
// help; only fewer atomics can. Missed by 3.5 times: each addition has to wait for the result of
// the previous one.
// Measured: 29566.1 us at 16777216, 0.1 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

constexpr int THREADS = 256;

__global__ void reduce_sum_kernel(const float* x, float* sum, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) atomicAdd(sum, x[i]);
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  cudaMemsetAsync(sum, 0, sizeof(float));
  reduce_sum_kernel<<<kata::ceil_div(n, THREADS), THREADS>>>(x, sum, n);
}
