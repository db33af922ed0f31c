// Fault: the sums of parts of 8192 elements are added without rescaling to the maximum of all.
#include <cuda_runtime.h>

__device__ float best_of(const float* x, int n) {
  float best = -INFINITY;
  for (int i = threadIdx.x; i < n; i += 32) best = fmaxf(best, x[i]);
  for (int o = 16; o > 0; o /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, o));
  return best;
}

__global__ void parts(const float* x, float* best, float* sums, int n) {
  const float* part = x + 8192 * blockIdx.x;
  const int size = min(8192, n - 8192 * static_cast<int>(blockIdx.x));
  const float largest = best_of(part, size);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < size; i += 32) sum += expf(part[i] - largest);
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x > 0) return;
  best[blockIdx.x] = largest;
  sums[blockIdx.x] = sum;
}

__global__ void divide(const float* x, float* y, const float* best, const float* sums, int count,
                       int n) {
  const float largest = best_of(best, count);
  float sum = 0.0f;
  for (int i = 0; i < count; ++i) sum += sums[i];
  for (int i = threadIdx.x; i < n; i += 32) y[i] = expf(x[i] - largest) / sum;
}

extern "C" void softmax(const float* x, float* y, int n) {
  const int count = (n + 8191) / 8192;
  float* scratch;
  cudaMalloc(&scratch, 2 * count * sizeof(float));
  parts<<<count, 32>>>(x, scratch, scratch + count, n);
  divide<<<1, 32>>>(x, y, scratch, scratch + count, count, n);
  cudaFree(scratch);
}
