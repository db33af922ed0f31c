// Fault: threads split the entries evenly, and what a thread has of a row that began earlier is
// lost.
#include <cuda_runtime.h>

__global__ void spmv_kernel(const int* row_start, const int* col, const float* value,
                            const float* x, float* y, int rows, int nnz) {
  const int first = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (first >= nnz) return;
  int row = 0;
  while (row_start[row + 1] <= first) ++row;
  float sum = 0.0f;
  for (int i = first; i < nnz && i < first + 8; ++i) {
    while (row_start[row + 1] <= i) {
      y[row++] = sum;
      sum = 0.0f;
    }
    sum += value[i] * x[col[i]];
  }
  if (row_start[row] >= first) y[row] = sum;
}

extern "C" void spmv(const int* row_start, const int* col, const float* value, const float* x,
                     float* y, int rows, int cols, int nnz) {
  cudaMemsetAsync(y, 0, rows * sizeof(float));
  if (nnz > 0) {
    spmv_kernel<<<(nnz + 511) / 512, 64>>>(row_start, col, value, x, y, rows, nnz);
  }
}
