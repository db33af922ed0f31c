// Fault: products are kept in an array of 1024, but a row may be longer.
#include <cuda_runtime.h>

__global__ void spmv_kernel(const int* row_start, const int* col, const float* value,
                            const float* x, float* y, int rows) {
  __shared__ float products[1024];
  const int begin = row_start[blockIdx.x], end = row_start[blockIdx.x + 1];
  for (int i = begin + threadIdx.x; i < end; i += blockDim.x) {
    products[i - begin] = value[i] * x[col[i]];
  }
  __syncthreads();
  if (threadIdx.x > 0) return;
  float sum = 0.0f;
  for (int i = begin; i < end; ++i) sum += products[i - begin];
  y[blockIdx.x] = sum;
}

extern "C" void spmv(const int* row_start, const int* col, const float* value, const float* x,
                     float* y, int rows, int cols, int nnz) {
  spmv_kernel<<<rows, 64>>>(row_start, col, value, x, y, rows);
}
