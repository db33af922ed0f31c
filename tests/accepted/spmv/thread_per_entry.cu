// One thread per entry finds its row by binary search and adds its product with a float atomic.
#include <cuda_runtime.h>

__global__ void spmv_kernel(const int* row_start, const int* col, const float* value,
                            const float* x, float* y, int rows, int nnz) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nnz) return;
  int low = 0, high = rows - 1;  // the last row that starts at i or before
  while (low < high) {
    const int middle = low + (high - low + 1) / 2;
    if (row_start[middle] <= i) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  atomicAdd(&y[low], value[i] * x[col[i]]);
}

extern "C" void spmv(const int* row_start, const int* col, const float* value, const float* x,
                     float* y, int rows, int cols, int nnz) {
  cudaMemset(y, 0, rows * sizeof(float));
  if (nnz == 0) return;
  spmv_kernel<<<(nnz - 1) / 128 + 1, 128>>>(row_start, col, value, x, y, rows, nnz);
}
