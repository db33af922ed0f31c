// Fault: the losses of the rows pass through an array of 1024 floats.
#include <cuda_runtime.h>

__device__ float warp_max(float value) {
  for (int o = 16; o > 0; o /= 2) value = fmaxf(value, __shfl_xor_sync(~0u, value, o));
  return value;
}

__device__ float warp_sum(float value) {
  for (int o = 16; o > 0; o /= 2) value += __shfl_xor_sync(~0u, value, o);
  return value;
}

__device__ float losses[1024];

__global__ void row_kernel(const float* logits, const int* labels, int n, int classes) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= n) return;
  const float* x = logits + static_cast<size_t>(row) * classes;
  float max = -3.4e38f;
  for (int i = threadIdx.x; i < classes; i += 32) max = fmaxf(max, x[i]);
  max = warp_max(max);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < classes; i += 32) sum += expf(x[i] - max);
  sum = warp_sum(sum);
  if (threadIdx.x == 0) losses[row] = logf(sum) + max - x[labels[row]];
}

__global__ void mean_kernel(float* loss, int n) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 32) sum += losses[i];
  sum = warp_sum(sum);
  if (threadIdx.x == 0) *loss = sum / n;
}

extern "C" void cross_entropy(const float* logits, const int* labels, float* loss, int n,
                              int classes) {
  row_kernel<<<(n + 3) / 4, dim3(32, 4)>>>(logits, labels, n, classes);
  mean_kernel<<<1, 32>>>(loss, n);
}
