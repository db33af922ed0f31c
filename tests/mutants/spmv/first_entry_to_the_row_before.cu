// Fault: the search for an entry's row compares with < instead of <=.
#include <cuda_runtime.h>

__global__ void spmv_kernel(const int* row_start, const int* col, const float* value,
                            const float* x, float* y, int rows, int nnz) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nnz) return;
  int low = 0, high = rows;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (row_start[middle] < i) {
      low = middle;
    } else {
      high = middle;
    }
  }
  atomicAdd(&y[low], value[i] * x[col[i]]);
}

extern "C" void spmv(const int* row_start, const int* col, const float* value, const float* x,
                     float* y, int rows, int cols, int nnz) {
  cudaMemset(y, 0, rows * sizeof(float));
  if (nnz > 0) {
    spmv_kernel<<<(nnz + 255) / 256, 256>>>(row_start, col, value, x, y, rows, nnz);
  }
}
