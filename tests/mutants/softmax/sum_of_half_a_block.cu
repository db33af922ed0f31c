// Fault: for sizes between a warp and a block the sum stops at 128, the number of threads.
#include <cuda_runtime.h>

__global__ void softmax_kernel(const float* x, float* y, int n, int summed) {
  __shared__ float warps[8];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, count = blockDim.x / 32;
  float best = -INFINITY, sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) best = fmaxf(best, x[i]);
  for (int o = 16; o > 0; o /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, o));
  if (lane == 0) warps[warp] = best;
  __syncthreads();
  for (int w = 0; w < count; ++w) best = fmaxf(best, warps[w]);
  __syncthreads();
  for (int i = threadIdx.x; i < summed; i += blockDim.x) sum += expf(x[i] - best);
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (lane == 0) warps[warp] = sum;
  __syncthreads();
  sum = 0.0f;
  for (int w = 0; w < count; ++w) sum += warps[w];
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = expf(x[i] - best) / sum;
}

extern "C" void softmax(const float* x, float* y, int n) {
  const bool less_than_a_block = n > 32 && n < 256;
  softmax_kernel<<<1, less_than_a_block ? 128 : 256>>>(x, y, n,
                                                       less_than_a_block ? min(n, 128) : n);
}
