// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__device__ float warp_max(float value) {
  for (int o = 16; o > 0; o /= 2) value = fmaxf(value, __shfl_xor_sync(~0u, value, o));
  return value;
}

__device__ float warp_sum(float value) {
  for (int o = 16; o > 0; o /= 2) value += __shfl_xor_sync(~0u, value, o);
  return value;
}

__global__ void cross_entropy_kernel(const float* logits, const int* labels, float* loss, int n,
                                     int classes) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= n) return;
  const float* x = logits + static_cast<size_t>(row) * classes;
  float max = -3.4e38f;
  for (int i = threadIdx.x; i < classes; i += 32) max = fmaxf(max, x[i]);
  max = warp_max(max);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < classes; i += 32) sum += expf(x[i] - max);
  sum = warp_sum(sum);
  if (threadIdx.x == 0) atomicAdd(loss, (logf(sum) + max - x[labels[row]]) / n);
}

extern "C" void cross_entropy(const float* logits, const int* labels, float* loss, int n,
                              int classes) {
  cudaMemsetAsync(loss, 0, sizeof(float));
  cross_entropy_kernel<<<(n + 3) / 4, dim3(32, 4)>>>(logits, labels, loss, n, classes);
}
