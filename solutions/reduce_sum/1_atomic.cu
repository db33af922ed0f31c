// Every thread adds its element to one address with atomicAdd: right, and one after the other.
//
// sum arrives holding anything (here NaN): it is set to 0 first, in the same stream.
//
// Prediction: the L2 cache adds to one address once a clock at best: 2^24 elements need 8.5 ms at
// 1.98 GHz, where reading them takes 16 us. A thread more or less, a wider load: nothing helps but
// fewer atomics. The order of the additions, and so the rounding, differs from run to run.
// Measured (H200, 2026-11-22): 29.5 ms at 2^24, 0.07 % of the limit (read); CUB 27.8 us. The bound
// holds, but it is 3.5 times as long: 1.76 ns for each element, 3.5 clocks at 1.98 GHz. Probably
// each addition in L2 waits for the result of the one before.
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
