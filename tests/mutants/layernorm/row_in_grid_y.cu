// Fault: the row is blockIdx.y, and a grid has at most 65535 blocks along y.
#include <cuda_runtime.h>

__global__ void layernorm_kernel(const float* x, const float* gamma, const float* beta, float* y,
                                 int cols, float eps) {
  x += static_cast<size_t>(blockIdx.y) * cols;
  y += static_cast<size_t>(blockIdx.y) * cols;
  float mean = 0.0f, variance = 0.0f;
  for (int col = threadIdx.x; col < cols; col += 32) mean += x[col];
  for (int d = 16; d > 0; d /= 2) mean += __shfl_xor_sync(0xffffffffu, mean, d);
  mean /= cols;
  for (int col = threadIdx.x; col < cols; col += 32) variance += (x[col] - mean) * (x[col] - mean);
  for (int d = 16; d > 0; d /= 2) variance += __shfl_xor_sync(0xffffffffu, variance, d);
  const float scale = rsqrtf(variance / cols + eps);
  for (int col = threadIdx.x; col < cols; col += 32) {
    y[col] = (x[col] - mean) * scale * gamma[col] + beta[col];
  }
}

extern "C" void layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows,
                          int cols, float eps) {
  layernorm_kernel<<<dim3(1, rows), 32>>>(x, gamma, beta, y, cols, eps);
}
