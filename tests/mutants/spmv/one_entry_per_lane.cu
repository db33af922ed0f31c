// Fault: each lane takes one entry: a row of more than 32 loses the others.
#include <cuda_runtime.h>

__global__ void spmv_kernel(const int* row_start, const int* col, const float* value,
                            const float* x, float* y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0.0f;
  const int i = row_start[row] + lane;
  if (i < row_start[row + 1]) sum += value[i] * x[col[i]];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0) y[row] = sum;
}

extern "C" void spmv(const int* row_start, const int* col, const float* value, const float* x,
                     float* y, int rows, int cols, int nnz) {
  spmv_kernel<<<(rows + 7) / 8, 256>>>(row_start, col, value, x, y, rows);
}
