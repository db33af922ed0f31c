// Planted fault: the variance is mean(x^2) - mean(x)^2, which cancels where elements are alike.
#include <cuda_runtime.h>

__global__ void layernorm_kernel(const float* x, const float* gamma, const float* beta, float* y,
                                 int rows, int cols, float eps) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const long first = static_cast<long>(row) * cols;
  float sum = 0, squares = 0;
  for (int col = 0; col < cols; ++col) {
    const float v = x[first + col];
    sum += v;
    squares += v * v;
  }
  const float mean = sum / cols;
  const float scale = rsqrtf(squares / cols - mean * mean + eps);
  for (int col = 0; col < cols; ++col)
    y[first + col] = (x[first + col] - mean) * scale * gamma[col] + beta[col];
}

extern "C" void layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows,
                          int cols, float eps) {
  layernorm_kernel<<<(rows + 127) / 128, 128>>>(x, gamma, beta, y, rows, cols, eps);
}
