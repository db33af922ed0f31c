// Fault: block 0 writes the exponentials, and all blocks of the same launch divide them.
#include <cuda_runtime.h>

__global__ void find_max(const float* x, float* best_and_sum, int n) {
  float best = -INFINITY, sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 32) best = fmaxf(best, x[i]);
  for (int o = 16; o > 0; o /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, o));
  for (int i = threadIdx.x; i < n; i += 32) sum += expf(x[i] - best);
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  best_and_sum[0] = best;
  best_and_sum[1] = sum;
}

__global__ void softmax_kernel(const float* x, float* y, const float* best_and_sum, int n) {
  if (blockIdx.x == 0) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = expf(x[i] - best_and_sum[0]);
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] /= best_and_sum[1];
}

extern "C" void softmax(const float* x, float* y, int n) {
  float* scratch;
  cudaMalloc(&scratch, 2 * sizeof(float));
  find_max<<<1, 32>>>(x, scratch, n);
  softmax_kernel<<<(n + 255) / 256, 256>>>(x, y, scratch, n);
  cudaFree(scratch);
}
