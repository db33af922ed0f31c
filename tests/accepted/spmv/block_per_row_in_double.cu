// Blocks stride through the rows from the last to the first and add up in double.
#include <cuda_runtime.h>

__global__ void spmv_kernel(const int* row_start, const int* col, const float* value,
                            const float* x, float* y, int rows) {
  __shared__ double sums[32];
  for (int row = rows - 1 - blockIdx.x; row >= 0; row -= gridDim.x) {
    double sum = 0.0;
    for (int i = row_start[row + 1] - 1 - threadIdx.x; i >= row_start[row]; i -= 32) {
      sum += static_cast<double>(value[i]) * x[col[i]];
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int t = 1; t < 32; ++t) sum += sums[t];
      y[row] = static_cast<float>(sum);
    }
    __syncthreads();
  }
}

extern "C" void spmv(const int* row_start, const int* col, const float* value, const float* x,
                     float* y, int rows, int cols, int nnz) {
  const int grid = rows < 500 ? rows : 500;
  spmv_kernel<<<grid, 32>>>(row_start, col, value, x, y, rows);
}
