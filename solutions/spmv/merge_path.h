#pragma once
// Equal shares of a CSR matrix: rows and entries merged into one list of items.
//
// The list holds every entry and, after the entries of each row, one item for the end of that row.
// Row r ends at item row_start[r + 1] + r. A share of the list is a fixed amount of work for any
// row lengths: a giant row is many entries, a run of empty rows many ends. This is the merge path
// of "Merge-based parallel sparse matrix-vector multiplication" by Merrill and Garland (2016).

#include <cuda_runtime.h>

// The number of rows that end before item `item`. A whole warp searches: 32 probes per step, so
// 2^20 rows take 4 or 5 steps, where a binary search takes 20.
__device__ inline int rows_before(long long item, const int* row_start, int rows) {
  const int lane = threadIdx.x % 32;
  int low = 0;  // the result lies between low and high, both included
  int high = rows;
  while (low < high) {
    const int step = (high - low - 1) / 32 + 1;
    const long long probe = low + static_cast<long long>(lane) * step;
    const bool before = probe < high && row_start[probe + 1] + probe < item;
    const int count = __popc(__ballot_sync(0xffffffffu, before));
    if (count == 0) return low;
    high = static_cast<int>(
        min(static_cast<long long>(high), low + static_cast<long long>(count) * step));
    low += (count - 1) * step + 1;
  }
  return low;
}

// The same within a block's share: ends[r] is the item at which row r ends.
__device__ inline int rows_before(int item, const int* ends, int rows) {
  int low = 0;
  int high = rows;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (ends[middle] < item) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
