// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void spmv_kernel(const int* row_start, const int* col, const float* value,
                            const float* x, float* y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int i = row_start[row]; i < row_start[row + 1]; ++i) sum += value[i] * x[col[i]];
  y[row] = sum;
}

extern "C" void spmv(const int* row_start, const int* col, const float* value, const float* x,
                     float* y, int rows, int cols, int nnz) {
  spmv_kernel<<<(rows + 255) / 256, 256>>>(row_start, col, value, x, y, rows);
}
