// Fault: a warp has two rows, and both are divided by the standard deviation of the first.
#include <cuda_runtime.h>

__device__ float warp_sum(float value) {
  for (int o = 16; o > 0; o /= 2) value += __shfl_xor_sync(~0u, value, o);
  return value;
}

__global__ void layernorm_kernel(const float* x, const float* gamma, const float* beta, float* y,
                                 int rows, int cols, float eps) {
  const int first = 2 * (blockIdx.x * blockDim.y + threadIdx.y);
  if (first >= rows) return;
  const int count = min(2, rows - first);
  float mean[2], m2[2];
  for (int r = 0; r < count; ++r) {
    const float* in = x + static_cast<size_t>(first + r) * cols;
    float sum = 0.0f;
    for (int col = threadIdx.x; col < cols; col += 32) sum += in[col];
    mean[r] = warp_sum(sum) / cols;
    m2[r] = 0.0f;
    for (int col = threadIdx.x; col < cols; col += 32) {
      m2[r] += (in[col] - mean[r]) * (in[col] - mean[r]);
    }
  }
  const float inverse = rsqrtf(warp_sum(m2[0]) / cols + eps);
  for (int r = 0; r < count; ++r) {
    const size_t from = static_cast<size_t>(first + r) * cols;
    for (int col = threadIdx.x; col < cols; col += 32) {
      y[from + col] = (x[from + col] - mean[r]) * inverse * gamma[col] + beta[col];
    }
  }
}

extern "C" void layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows,
                          int cols, float eps) {
  layernorm_kernel<<<(rows + 7) / 8, dim3(32, 4)>>>(x, gamma, beta, y, rows, cols, eps);
}
