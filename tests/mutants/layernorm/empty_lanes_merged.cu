// Fault: Welford parts are merged without a check for count 0: 0 / 0 where cols < 32.
#include <cuda_runtime.h>

__global__ void layernorm_kernel(const float* x, const float* gamma, const float* beta, float* y,
                                 int rows, int cols, float eps) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* in = x + static_cast<size_t>(row) * cols;
  float* out = y + static_cast<size_t>(row) * cols;
  float count = 0.0f, mean = 0.0f, m2 = 0.0f;
  for (int col = threadIdx.x; col < cols; col += 32) {
    const float delta = in[col] - mean;
    mean += delta / ++count;
    m2 += delta * (in[col] - mean);
  }
  for (int o = 16; o > 0; o /= 2) {
    const float other_count = __shfl_xor_sync(~0u, count, o);
    const float delta = __shfl_xor_sync(~0u, mean, o) - mean;
    const float all = count + other_count;
    m2 += __shfl_xor_sync(~0u, m2, o) + delta * delta * count * other_count / all;
    mean += delta * other_count / all;
    count = all;
  }
  const float inverse = rsqrtf(m2 / cols + eps);
  for (int col = threadIdx.x; col < cols; col += 32) {
    out[col] = (in[col] - mean) * inverse * gamma[col] + beta[col];
  }
}

extern "C" void layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows,
                          int cols, float eps) {
  layernorm_kernel<<<(rows + 3) / 4, dim3(32, 4)>>>(x, gamma, beta, y, rows, cols, eps);
}
