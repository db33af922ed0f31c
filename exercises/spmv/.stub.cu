// spmv: y = A x for a sparse matrix A of rows x cols with nnz entries, in CSR form.
//
// The entries of row r are value[i] in column col[i], for row_start[r] <= i < row_start[r + 1].
// Rows may be empty, and nnz may be 0. y arrives filled with NaN.
// Given: one warp per row, 8 warps per block. You may change the launch and add helpers.
// Check it: harness/kata check spmv   or   ctest -R spmv
#include <kata/kata.h>

__global__ void spmv_kernel(const int* row_start, const int* col, const float* value,
                            const float* x, float* y, int rows) {
  // your code
}

extern "C" void spmv(const int* row_start, const int* col, const float* value, const float* x,
                     float* y, int rows, int cols, int nnz) {
  const int rows_per_block = 8;
  const dim3 block(32, rows_per_block);
  const int grid = kata::ceil_div(rows, rows_per_block);
  spmv_kernel<<<grid, block>>>(row_start, col, value, x, y, rows);
}
