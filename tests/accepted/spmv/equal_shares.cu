// Every thread gets eight neighbouring entries finds its first row by bisection, and adds row sums atomically.
#include <cuda_runtime.h>

namespace {
constexpr int kShare = 8;

__global__ void shares(const int* row_start, const int* col, const float* value, const float* x, float* y, int rows,
                       int nnz) {
  const int threads = (nnz - 1) / kShare + 1;
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  const int begin = t * kShare;
  const int end = nnz - begin < kShare ? nnz : begin + kShare;
  // the last row with row_start[row] <= begin
  int low = 0, high = rows;  // row_start[low] <= begin < row_start[high]
  while (high - low > 1) {
    const int mid = low + (high - low) / 2;
    if (row_start[mid] <= begin)
      low = mid;
    else
      high = mid;
  }
  int row = low;
  int stop = row_start[row + 1];
  float sum = 0.0f;
  for (int i = begin; i < end; ++i) {
    if (i >= stop) {
      atomicAdd(&y[row], sum);
      sum = 0.0f;
      do stop = row_start[++row + 1];
      while (i >= stop);
    }
    sum = fmaf(value[i], x[col[i]], sum);
  }
  atomicAdd(&y[row], sum);
}
}  // namespace

extern "C" void spmv(const int* row_start, const int* col, const float* value, const float* x, float* y, int rows,
                     int cols, int nnz) {
  (void)cols;
  cudaMemsetAsync(y, 0, rows * sizeof(float), 0);
  if (nnz == 0) return;
  const int threads = (nnz - 1) / kShare + 1;
  shares<<<(threads - 1) / 192 + 1, 192>>>(row_start, col, value, x, y, rows, nnz);
}
