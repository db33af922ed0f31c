// Fault: partial sums of a row meet in shared memory without a barrier before they are added up.
#include <cuda_runtime.h>

__global__ void spmv_kernel(const int* row_start, const int* col, const float* value,
                            const float* x, float* y) {
  __shared__ float sums[64];
  const int row = blockIdx.x, tid = threadIdx.x;
  float sum = 0.0f;
  for (int i = row_start[row] + tid; i < row_start[row + 1]; i += 64) sum += value[i] * x[col[i]];
  sums[tid] = sum;
  if (tid > 0) return;
  for (int t = 1; t < 64; ++t) sum += sums[t];
  y[row] = sum;
}

extern "C" void spmv(const int* row_start, const int* col, const float* value, const float* x,
                     float* y, int rows, int cols, int nnz) {
  spmv_kernel<<<rows, 64>>>(row_start, col, value, x, y);
}
