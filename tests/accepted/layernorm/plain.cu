// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__device__ float warp_sum(float value) {
  for (int o = 16; o > 0; o /= 2) value += __shfl_xor_sync(~0u, value, o);
  return value;
}

__global__ void layernorm_kernel(const float* x, const float* gamma, const float* beta, float* y,
                                 int rows, int cols, float eps) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* in = x + static_cast<size_t>(row) * cols;
  float* out = y + static_cast<size_t>(row) * cols;
  float sum = 0.0f, m2 = 0.0f;
  for (int col = threadIdx.x; col < cols; col += 32) sum += in[col];
  const float mean = warp_sum(sum) / cols;
  for (int col = threadIdx.x; col < cols; col += 32) m2 += (in[col] - mean) * (in[col] - mean);
  const float inverse = rsqrtf(warp_sum(m2) / cols + eps);
  for (int col = threadIdx.x; col < cols; col += 32) {
    out[col] = (in[col] - mean) * inverse * gamma[col] + beta[col];
  }
}

extern "C" void layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows,
                          int cols, float eps) {
  layernorm_kernel<<<(rows + 3) / 4, dim3(32, 4)>>>(x, gamma, beta, y, rows, cols, eps);
}
