// Sixteen elements per thread and step: four float4 loads in flight, one barrier for all of them.
//
// A thread counts how many of its elements pass the bound and reserves that many places with one
// atomic. If all threads got their places, the step is over at its only barrier.
//
// Prediction: 16 steps for a row of 131072 in place of 256, and 128 KB in flight per SM where 35 KB
// are needed: the read takes 119 us. But nothing rejects the 8192 elements of the first step, which
// overflow the buffer five times. With two more sorts later that is 7 x 6 us per row, half hidden
// behind the loads of other blocks: 180 us.
// Measured: 507.2 us at 1024x131072x64, 23 % of the limit (H200, 2026-11-28)
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
    candidates.add<TILE_ITEMS>([&](int j) { return tile.key(j); });
  }
  store_row(candidates.sorted(), values + out, indices + out, k);
}

extern "C" void topk_rows(const float* x, float* values, int* indices, int rows, int cols, int k) {
  const auto kernel = cols % 4 == 0 ? topk_kernel<true> : topk_kernel<false>;
  kernel<<<rows, threads_for(cols, TILE_ITEMS)>>>(x, values, indices, cols, k);
}
