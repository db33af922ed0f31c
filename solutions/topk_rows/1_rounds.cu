// k rounds: each finds the largest element that comes after the winner before it.
//
// A block has a row. A 64-bit key of value and column makes all elements different (row_key.h), so
// "after the last winner" is a comparison, and nothing has to be marked or masked. An element that
// is -infinity needs no special care either.
//
// Prediction: every round reads the whole row. 1056 blocks run at once and hold all 1024 rows of
// 131072, 537 MB, far more than L2. So 64 rounds are 64 reads of device memory, 119 us each: 8 ms.
// Rows of 4096 stay in L2: 64 rounds of about 2 us for 4 waves of blocks, 0.5 ms.
// Measured: 8354.0 us at 1024x131072x64, 1.4 % of the limit (H200, 2026-11-28)
#include <kata/kata.h>

#include "row_key.h"

constexpr int THREADS = 256;

__global__ void topk_kernel(const float* x, float* values, int* indices, int cols, int k) {
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  const size_t out = static_cast<size_t>(blockIdx.x) * k;
  Key last = ~Key(0);
  for (int r = 0; r < k; ++r) {
    Key best = NONE;
    for (int col = threadIdx.x; col < cols; col += THREADS) {
      const Key key = key_at(row[col], col);
      if (key < last && key > best) best = key;
    }
    last = block_max<THREADS>(best);
    if (threadIdx.x == 0) store_key(last, &values[out + r], &indices[out + r]);
  }
}

extern "C" void topk_rows(const float* x, float* values, int* indices, int rows, int cols, int k) {
  topk_kernel<<<rows, THREADS>>>(x, values, indices, cols, k);
}
