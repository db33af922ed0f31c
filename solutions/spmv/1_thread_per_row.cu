// One thread per row walks along the row's entries.
//
// Every row is stored, an empty one as 0, because y arrives poisoned. Nothing is skipped for being
// zero. Neighbouring lanes read entries that lie a whole row apart.
//
// Prediction: with 16 entries a row, a warp's load of `value` touches 32 sectors where 4 would
// hold the data; the next seven steps use the rest of each sector if L1 still has it. 2^20 rows of
// 16: 147 MB have a limit of 35 us, and gathers of x cost a 32-byte sector each: 500 us. A row of
// 4 million entries is one thread's work, at one entry per 600 ns: seconds. Missed: L1 keeps the
// sectors, so short rows are far faster.
// Measured: 141.2 us at 1048576x1048576x16777216, 25 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

constexpr int THREADS = 256;

__global__ void spmv_kernel(const int* row_start, const int* col, const float* value,
                            const float* x, float* y, int rows) {
  const size_t row = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
  if (row >= static_cast<size_t>(rows)) return;
  const int end = row_start[row + 1];
  float sum = 0.0f;
  for (int i = row_start[row]; i < end; ++i) sum += value[i] * x[col[i]];
  y[row] = sum;
}

extern "C" void spmv(const int* row_start, const int* col, const float* value, const float* x,
                     float* y, int rows, int cols, int nnz) {
  (void)cols, (void)nnz;
  spmv_kernel<<<kata::ceil_div(rows, THREADS), THREADS>>>(row_start, col, value, x, y, rows);
}
