// Fault: for n up to 32 one warp does it all, with the mask (1 << n) - 1 of lanes: empty for 32.
#include <cuda_runtime.h>

__global__ void softmax_of_a_warp(const float* x, float* y, int n) {
  const int lane = threadIdx.x;
  const unsigned mask = (1u << (n % 32)) - 1;
  const bool mine = mask >> lane & 1;
  float best = mine ? x[lane] : -INFINITY;
  for (int o = 16; o > 0; o /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, o));
  const float e = mine ? expf(x[lane] - best) : 0.0f;
  float sum = e;
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (mine) y[lane] = e / sum;
}

__global__ void softmax_of_many(const float* x, float* y, int n) {
  float best = -INFINITY, sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 32) best = fmaxf(best, x[i]);
  for (int o = 16; o > 0; o /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, o));
  for (int i = threadIdx.x; i < n; i += 32) sum += expf(x[i] - best);
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  for (int i = threadIdx.x; i < n; i += 32) y[i] = expf(x[i] - best) / sum;
}

extern "C" void softmax(const float* x, float* y, int n) {
  if (n <= 32) {
    softmax_of_a_warp<<<1, 32>>>(x, y, n);
  } else {
    softmax_of_many<<<1, 32>>>(x, y, n);
  }
}
