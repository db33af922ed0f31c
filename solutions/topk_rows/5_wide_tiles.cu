// Sixteen elements per thread and step: four float4 loads in flight, one barrier for all of them.
//
// An element that passes the bound takes a place with an atomic. If all of them got one, the step
// is over at its only barrier.
//
// Prediction: nothing rejects the 8192 elements of the first step, which overflow the buffer five
// times. With two more sorts later a row has seven, of 66 steps with 40 instructions for each of 16
// warps: 330 us of issue slots for 1024 rows. The read of 119 us hides behind them: 380 us. Missed:
// it is faster, a sort needs fewer instructions.
// Measured: 280.8 us at 1024x131072x64, 43 % of the limit (H200, 2026-11-28)
#include <kata/kata.h>

#include "candidates.h"
#include "row_tile.h"

template <bool VECTOR>
__global__ void __launch_bounds__(512)
    topk_kernel(const float* x, float* values, int* indices, int cols, int k) {
  __shared__ CandidateMemory memory;
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  const size_t out = static_cast<size_t>(blockIdx.x) * k;
  Candidates candidates(memory, k);
  for (int first = 0; first < cols; first += TILE_ITEMS * blockDim.x) {
    const RowTile<VECTOR> tile(row, first, cols);
    candidates.add(tile.may_pass(candidates), [&](int j) { return tile.key(row, j); });
  }
  store_row(candidates.sorted(), values + out, indices + out, k);
}

extern "C" void topk_rows(const float* x, float* values, int* indices, int rows, int cols, int k) {
  const auto kernel = cols % 4 == 0 ? topk_kernel<true> : topk_kernel<false>;
  kernel<<<rows, threads_for(cols, TILE_ITEMS, 512)>>>(x, values, indices, cols, k);
}
