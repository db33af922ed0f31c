// Fault: a row of blocks for each row of the matrix: grid.y ends at 65535.
#include <cuda_runtime.h>

__global__ void spmv_kernel(const int* row_start, const int* col, const float* value,
                            const float* x, float* y, int rows) {
  const int row = blockIdx.y, lane = threadIdx.x;
  float sum = 0.0f;
  for (int i = row_start[row] + lane; i < row_start[row + 1]; i += 32) sum += value[i] * x[col[i]];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0) y[row] = sum;
}

extern "C" void spmv(const int* row_start, const int* col, const float* value, const float* x,
                     float* y, int rows, int cols, int nnz) {
  spmv_kernel<<<dim3(1, rows), 32>>>(row_start, col, value, x, y, rows);
}
