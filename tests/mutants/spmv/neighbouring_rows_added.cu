// Fault: eight lanes per row, but the shuffles add up all 32 lanes: four rows become one.
#include <cuda_runtime.h>

__global__ void spmv_kernel(const int* row_start, const int* col, const float* value,
                            const float* x, float* y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
  float sum = 0.0f;
  for (int i = row < rows ? row_start[row] + lane : 0; row < rows && i < row_start[row + 1];
       i += 8) {
    sum += value[i] * x[col[i]];
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (row < rows && lane == 0) y[row] = sum;
}

extern "C" void spmv(const int* row_start, const int* col, const float* value, const float* x,
                     float* y, int rows, int cols, int nnz) {
  spmv_kernel<<<(rows + 31) / 32, 256>>>(row_start, col, value, x, y, rows);
}
