// Fault: the sum of squares uses the slots of the sum, which slower warps may still read.
#include <cuda_runtime.h>

__device__ float block_sum(float value, float* slots) {
  for (int o = 16; o > 0; o /= 2) value += __shfl_xor_sync(~0u, value, o);
  if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = value;
  __syncthreads();
  value = slots[threadIdx.x % 4];
  for (int o = 2; o > 0; o /= 2) value += __shfl_xor_sync(~0u, value, o);
  return value;
}

__global__ void layernorm_kernel(const float* x, const float* gamma, const float* beta, float* y,
                                 int cols, float eps) {
  __shared__ float slots[4];
  const float* in = x + static_cast<size_t>(blockIdx.x) * cols;
  float* out = y + static_cast<size_t>(blockIdx.x) * cols;
  float sum = 0.0f, m2 = 0.0f;
  for (int col = threadIdx.x; col < cols; col += 128) sum += in[col];
  const float mean = block_sum(sum, slots) / cols;
  for (int col = threadIdx.x; col < cols; col += 128) m2 += (in[col] - mean) * (in[col] - mean);
  const float inverse = rsqrtf(block_sum(m2, slots) / cols + eps);
  for (int col = threadIdx.x; col < cols; col += 128) {
    out[col] = (in[col] - mean) * inverse * gamma[col] + beta[col];
  }
}

extern "C" void layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows,
                          int cols, float eps) {
  layernorm_kernel<<<rows, 128>>>(x, gamma, beta, y, cols, eps);
}
