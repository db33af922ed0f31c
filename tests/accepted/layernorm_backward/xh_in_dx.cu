// Three kernels: xh goes to dx first, the sums down the columns read it there, and then dx replaces
// it. 1 / sd of each row is kept.
#include <cuda_runtime.h>

__global__ void normalise_kernel(const float* x, float* dx, float* inverses, int rows, int cols,
                                 float eps) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const size_t first = static_cast<size_t>(row) * cols;
  float mean = 0.0f, m2 = 0.0f;  // Welford
  for (int col = 0; col < cols; ++col) {
    const float delta = x[first + col] - mean;
    mean += delta / (col + 1);
    m2 += delta * (x[first + col] - mean);
  }
  inverses[row] = 1.0f / sqrtf(m2 / cols + eps);
  for (int col = 0; col < cols; ++col) dx[first + col] = (x[first + col] - mean) * inverses[row];
}

// A block per column.
__global__ void columns_kernel(const float* xh, const float* dy, float* dgamma, float* dbeta,
                               int rows, int cols) {
  __shared__ float of_gamma[64], of_beta[64];
  float sum_gamma = 0.0f, sum_beta = 0.0f;
  for (int row = threadIdx.x; row < rows; row += 64) {
    const size_t i = static_cast<size_t>(row) * cols + blockIdx.x;
    sum_gamma += xh[i] * dy[i];
    sum_beta += dy[i];
  }
  of_gamma[threadIdx.x] = sum_gamma;
  of_beta[threadIdx.x] = sum_beta;
  for (int half = 32; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      of_gamma[threadIdx.x] += of_gamma[threadIdx.x + half];
      of_beta[threadIdx.x] += of_beta[threadIdx.x + half];
    }
  }
  if (threadIdx.x > 0) return;
  dgamma[blockIdx.x] = of_gamma[0];
  dbeta[blockIdx.x] = of_beta[0];
}

__global__ void gradient_kernel(const float* gamma, const float* dy, float* dx,
                                const float* inverses, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const size_t first = static_cast<size_t>(row) * cols;
  float sum_g = 0.0f, sum_gxh = 0.0f;
  for (int col = 0; col < cols; ++col) {
    const float g = gamma[col] * dy[first + col];
    sum_g += g;
    sum_gxh += g * dx[first + col];
  }
  for (int col = 0; col < cols; ++col) {
    const float g = gamma[col] * dy[first + col];
    dx[first + col] = inverses[row] * (g - (sum_g + dx[first + col] * sum_gxh) / cols);
  }
}

extern "C" void layernorm_backward(const float* x, const float* gamma, const float* dy, float* dx,
                                   float* dgamma, float* dbeta, int rows, int cols, float eps) {
  static float* inverses = nullptr;
  static int size = 0;
  if (rows > size) {
    cudaFree(inverses);
    cudaMalloc(&inverses, rows * sizeof(float));
    size = rows;
  }
  const int grid = (rows + 63) / 64;
  normalise_kernel<<<grid, 64>>>(x, dx, inverses, rows, cols, eps);
  columns_kernel<<<cols, 64>>>(dx, dy, dgamma, dbeta, rows, cols);
  gradient_kernel<<<grid, 64>>>(gamma, dy, dx, inverses, rows, cols);
}
