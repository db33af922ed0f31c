// Every block gets the same number of items, counting an entry or the end of a row as one item.
//
// merge_path.h explains the list of items. A block stages the products and row ends of its
// 2816 items in shared memory; each thread then walks along 11 items, an odd stride against bank
// conflicts. A row that begins in one thread and ends in another is completed by a segmented scan
// over the block. A second kernel adds what blocks carry over, in a fixed order.
//
// Prediction: the time no longer depends on the row lengths. 2^20 rows of 16: bound by L2 as rung
// 3, 130 us. One row of 4 million entries: 59 MB, 14 us at memory speed and about 10 us for
// searching, scanning and the second kernel.
// Measured: 114.8 us at 1048576x1048576x12582914, 25 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/scratch.h"
#include "carry_scan.h"
#include "merge_path.h"

constexpr int THREADS = 256;
constexpr int ITEMS = 11;  // per thread
constexpr int TILE = THREADS * ITEMS;
constexpr int WARPS = THREADS / 32;
constexpr unsigned ALL_LANES = 0xffffffffu;

__global__ void __launch_bounds__(THREADS)
    tile_kernel(const int* row_start, const int* col, const float* value, const float* x, float* y,
                int rows, int nnz, float* carries, int* carry_rows) {
  __shared__ int items[TILE];  // the products, then the row ends
  __shared__ int bounds[2];
  const int tid = threadIdx.x;
  const long long first = static_cast<long long>(blockIdx.x) * TILE;
  const long long last = min(first + TILE, static_cast<long long>(rows) + nnz);
  const int count = last - first;
  if (tid < 64) bounds[tid / 32] = rows_before(tid < 32 ? first : last, row_start, rows);
  __syncthreads();
  const int first_row = bounds[0];
  const int row_count = bounds[1] - first_row;
  const int entry_count = count - row_count;
  const int first_entry = first - first_row;

  float* products = reinterpret_cast<float*>(items);
  int* ends = items + entry_count;
  int columns[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = tid + k * THREADS;
    columns[k] = i < entry_count ? col[first_entry + i] : 0;
  }
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {  // all gathers of a thread are in flight at once
    const int i = tid + k * THREADS;
    if (i < entry_count) products[i] = value[first_entry + i] * x[columns[k]];
  }
  for (int r = tid; r < row_count; r += THREADS) {
    ends[r] = row_start[first_row + r + 1] - first_entry + r;
  }
  __syncthreads();

  const int begin = min(tid * ITEMS, count);
  const int end = min(begin + ITEMS, count);
  int row = rows_before(begin, ends, row_count);
  const int my_first_row = row;
  float my_first_sum = 0.0f;
  float* sums = reinterpret_cast<float*>(ends);  // the end of a row makes room for its sum
  __syncthreads();
  Carry mine = {0.0f, 0};
  for (int item = begin; item < end; ++item) {
    if (row < row_count && ends[row] == item) {
      if (row == my_first_row) {
        my_first_sum = mine.sum;
      } else {
        sums[row] = mine.sum;
      }
      mine = {0.0f, 1};
      ++row;
    } else {
      mine.sum += products[item - row];
    }
  }
  Carry total;
  const Carry in = exclusive_scan<WARPS>(mine, &total);
  if (mine.ended) sums[my_first_row] = in.sum + my_first_sum;
  __syncthreads();
  for (int r = tid; r < row_count; r += THREADS) y[first_row + r] = sums[r];
  if (tid == 0) {
    carries[blockIdx.x] = total.sum;
    carry_rows[blockIdx.x] = bounds[1];
  }
}

// One warp per tile: the first tile that carries into a row adds the carries of all that do.
__global__ void carry_kernel(const int* row_start, const float* carries, const int* carry_rows,
                             float* y, int rows, int tiles) {
  const int lane = threadIdx.x % 32;
  const int tile = (blockIdx.x * THREADS + threadIdx.x) / 32;
  if (tile >= tiles) return;
  const int row = carry_rows[tile];
  if (row == rows || (tile > 0 && carry_rows[tile - 1] == row)) return;
  const int last = (static_cast<long long>(row_start[row + 1]) + row) / TILE;  // where it ends
  float sum = 0.0f;
  for (int t = tile + lane; t < last; t += 32) sum += carries[t];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(ALL_LANES, sum, offset);
  if (lane == 0) y[row] += sum;
}

extern "C" void spmv(const int* row_start, const int* col, const float* value, const float* x,
                     float* y, int rows, int cols, int nnz) {
  (void)cols;
  static Scratch<float> carries;
  static Scratch<int> carry_rows;
  const int tiles = (static_cast<long long>(rows) + nnz - 1) / TILE + 1;
  float* sums = carries.get(tiles);
  int* sum_rows = carry_rows.get(tiles);
  tile_kernel<<<tiles, THREADS>>>(row_start, col, value, x, y, rows, nnz, sums, sum_rows);
  carry_kernel<<<kata::ceil_div(tiles, WARPS), THREADS>>>(row_start, sums, sum_rows, y, rows,
                                                          tiles);
}
