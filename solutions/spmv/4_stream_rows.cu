// A block streams the products of many short rows through shared memory; long rows get a block.
//
// The block's rows are contiguous, so their entries are one contiguous piece for any lengths: all
// threads form its products with coalesced loads. Then one thread per row adds up its products.
// Rows that do not fit the buffer are taken one at a time by all threads. This is CSR-adaptive
// (Greathouse and Daga, 2014) with a fixed number of rows per block: nothing has to be prepared.
//
// Prediction: rows of 16 entries as rung 3, 130 us for 2^20 rows, without idle lanes when lengths
// differ: the power law gains. A row of 4 million entries has one SM for itself: at about 30 GB/s
// of its 34 MB it takes 1 ms, against 100 ms for a warp. Missed: that block has too few loads in
// flight.
// Measured: 130.8 us at 1048576x1048576x16777216, 27 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

constexpr int THREADS = 256;
constexpr int BUFFER = 2048;  // products
constexpr unsigned ALL_LANES = 0xffffffffu;

// The sum over the block, in thread 0. `slots` has a place for each warp.
__device__ float block_sum(float sum, float* slots) {
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_down_sync(ALL_LANES, sum, offset);
  }
  __syncthreads();  // the slots of the row before have been read
  if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return 0.0f;
  sum = 0.0f;
  for (int warp = 0; warp < THREADS / 32; ++warp) sum += slots[warp];
  return sum;
}

__global__ void spmv_kernel(const int* row_start, const int* col, const float* value,
                            const float* x, float* y, int rows, int rows_per_block) {
  __shared__ float products[BUFFER];
  __shared__ float slots[THREADS / 32];
  const int tid = threadIdx.x;
  const size_t first = static_cast<size_t>(blockIdx.x) * rows_per_block;
  const int here = min(static_cast<size_t>(rows_per_block), rows - first);
  row_start += first;
  y += first;
  const int begin = row_start[0];
  const int end = row_start[here];

  if (end - begin > BUFFER) {
    for (int row = 0; row < here; ++row) {
      float sum = 0.0f;
      for (int i = row_start[row] + tid; i < row_start[row + 1]; i += THREADS) {
        sum += value[i] * x[col[i]];
      }
      sum = block_sum(sum, slots);
      if (tid == 0) y[row] = sum;
    }
    return;  // the whole block
  }

  for (int i = begin + tid; i < end; i += THREADS) products[i - begin] = value[i] * x[col[i]];
  __syncthreads();
  for (int row = tid; row < here; row += THREADS) {
    float sum = 0.0f;
    for (int i = row_start[row]; i < row_start[row + 1]; ++i) sum += products[i - begin];
    y[row] = sum;
  }
}

extern "C" void spmv(const int* row_start, const int* col, const float* value, const float* x,
                     float* y, int rows, int cols, int nnz) {
  (void)cols;
  const int mean = nnz / rows + 1;
  const int rows_per_block = max(1, min(BUFFER / 2 / mean, THREADS));
  const int grid = kata::ceil_div(rows, rows_per_block);
  spmv_kernel<<<grid, THREADS>>>(row_start, col, value, x, y, rows, rows_per_block);
}
