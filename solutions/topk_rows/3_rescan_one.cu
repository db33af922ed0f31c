// A tournament: threads keep the best of their own columns, and only the winner looks for another.
//
// The rung to reach in 30 minutes. After the first read a round compares 256 keys, one per thread.
// The winner's thread needs its next best one: its whole warp scans the columns of that thread,
// while the other warps go on to the next barrier.
//
// Prediction: one read of 1024 x 131072, 150 us with one load per thread in flight, then 64 rounds.
// A rescan fetches 512 columns that lie 1 KB apart, a sector of 32 bytes for each: 64 rounds fetch
// 1 MB per row, twice the row itself. That is 240 us, 400 us in all. k = 256 takes four times as
// much for its rounds. Missed: 64 rescans take 13 us each; memory is read 64 bytes at a time, two
// sectors.
// Measured: 995.4 us at 1024x131072x64, 12 % of the limit (H200, 2026-11-28)
#include <kata/kata.h>

#include "row_key.h"

constexpr int THREADS = 256;

__global__ void topk_kernel(const float* x, float* values, int* indices, int cols, int k) {
  const int tid = threadIdx.x;
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  const size_t out = static_cast<size_t>(blockIdx.x) * k;
  Key best = NONE;  // of columns tid, tid + THREADS, ...
  for (int col = tid; col < cols; col += THREADS) {
    const Key key = key_at(row[col], col);
    if (key > best) best = key;
  }
  for (int r = 0; r < k; ++r) {
    const Key winner = block_max<THREADS>(best);
    if (tid == 0) store_key(winner, &values[out + r], &indices[out + r]);
    if (__any_sync(0xffffffffu, best == winner)) {  // the winner's warp
      const int owner = static_cast<int>(~static_cast<unsigned>(winner)) % THREADS;
      Key next = NONE;
      for (int col = owner + THREADS * (tid % 32); col < cols; col += 32 * THREADS) {
        const Key key = key_at(row[col], col);
        if (key < winner && key > next) next = key;
      }
      next = warp_max(next);
      if (tid == owner) best = next;
    }
  }
}

extern "C" void topk_rows(const float* x, float* values, int* indices, int rows, int cols, int k) {
  topk_kernel<<<rows, THREADS>>>(x, values, indices, cols, k);
}
