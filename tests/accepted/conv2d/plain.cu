// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void conv2d_kernel(const float* x, const float* w, float* y, int rows, int cols,
                              int kernel_rows, int kernel_cols) {
  extern __shared__ float tile[];
  const int height = 8 + kernel_rows - 1, width = 32 + kernel_cols - 1;
  const int across = (cols - kernel_cols) / 32 + 1;
  const int first_row = blockIdx.x / across * 8, first_col = blockIdx.x % across * 32;
  for (int r = threadIdx.y; r < height; r += 8) {
    for (int c = threadIdx.x; c < width; c += 32) {
      const bool in_bounds = first_row + r < rows && first_col + c < cols;
      tile[r * width + c] = in_bounds ? x[size_t(first_row + r) * cols + first_col + c] : 0.0f;
    }
  }
  __syncthreads();
  const int out_rows = rows - kernel_rows + 1, out_cols = cols - kernel_cols + 1;
  const int row = first_row + threadIdx.y, col = first_col + threadIdx.x;
  if (row >= out_rows || col >= out_cols) return;
  float sum = 0.0f;
  for (int a = 0; a < kernel_rows; ++a) {
    for (int b = 0; b < kernel_cols; ++b) {
      sum += tile[(threadIdx.y + a) * width + threadIdx.x + b] * w[a * kernel_cols + b];
    }
  }
  y[size_t(row) * out_cols + col] = sum;
}

extern "C" void conv2d(const float* x, const float* w, float* y, int rows, int cols,
                       int kernel_rows, int kernel_cols) {
  const int grid = ((cols - kernel_cols) / 32 + 1) * ((rows - kernel_rows) / 8 + 1);
  const size_t bytes = (7 + kernel_rows) * (31 + kernel_cols) * sizeof(float);
  conv2d_kernel<<<grid, dim3(32, 8), bytes>>>(x, w, y, rows, cols, kernel_rows, kernel_cols);
}
