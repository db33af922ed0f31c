// Weights go to the tensor cores as they are: four bits are a tiny half, and exact.
//
// Rung 9 spends 13 instructions on each word of eight weights, most of them logic, which issue
// every other clock. A half whose upper bits are 0 is subnormal: its value is its bits times 2^-24.
// So a mask is all that a pair of weights needs (raw_nibbles.h): 5 instructions per word.
//
// Prediction: 432 instructions per 4096 weights become 280; 40 us at 28672 x 8192 if they are what
// it waits for.
// Measured: 39.6 us at 28672x8192, 75 % of the limit (H200, 2026-11-25)
#include <kata/kata.h>

#include "../common/grid_size.h"
#include "raw_nibbles.h"
#include "row_sums.h"

constexpr int WARPS = 8;
constexpr int THREADS = 32 * WARPS;
constexpr int BLOCKS_PER_SM = 2;
constexpr int DEPTH = 3;      // tiles in registers
constexpr int TILE_ROWS = 4;  // of a warp

// SLICES warps share a row.
template <int SLICES>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    gemv_kernel(const uint4* W4, const __half* scale, const uint4* x8, __half* y, int M, int K) {
  constexpr int BLOCK_ROWS = TILE_ROWS * (WARPS / SLICES);
  __shared__ float partial[2][BLOCK_ROWS][SLICES * 8];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int warp_row = warp / SLICES * TILE_ROWS;
  const int panels = kata::ceil_div(K, SLICE * SLICES);
  const int tiles = kata::ceil_div(M, BLOCK_ROWS);
  const auto first_k = [&](int panel) {
    return (panel * SLICES + warp % SLICES) * SLICE + 32 * lane;
  };

  RowSlices<TILE_ROWS> stages[DEPTH];
  int load_tile = blockIdx.x;
  int load_panel = 0;
  const auto load_next = [&](RowSlices<TILE_ROWS>& rows) {
    const int first_row = load_tile * BLOCK_ROWS + warp_row;
    if (load_tile < tiles) rows.load(W4, scale, first_row, first_k(load_panel), M, K);
    if (++load_panel < panels) return;
    load_panel = 0;
    load_tile += gridDim.x;
  };
#pragma unroll
  for (int d = 0; d < DEPTH; ++d) load_next(stages[d]);

  uint4 x[4];
  load_own_x(x8, first_k(0), K, x);
  float offset = group_offset(x);
  float sums[TILE_ROWS] = {};
  int tile = blockIdx.x;
  int panel = 0;
  int parity = 0;  // partial[] may be written again two tiles later
  const auto use = [&](RowSlices<TILE_ROWS>& rows) {
    if (panels > 1) {
      load_own_x(x8, first_k(panel), K, x);
      offset = group_offset(x);
    }
#pragma unroll
    for (int r = 0; r < TILE_ROWS; r += 2) {
      float even[4] = {}, odd[4] = {};
      add_raw(rows.words[r], rows.words[r + 1], x, even, odd);
      const float upper = group_product(even, odd, false) - offset;
      const float lower = group_product(even, odd, true) - offset;
      sums[r] += __half2float(rows.scales[r]) * upper;
      sums[r + 1] += __half2float(rows.scales[r + 1]) * lower;
    }
    load_next(rows);
    if (++panel < panels) return;
    panel = 0;
#pragma unroll
    for (int r = 0; r < TILE_ROWS; ++r) {
      if (holds_sum()) partial[parity][warp_row + r][warp % SLICES * 8 + lane / 4] = sums[r];
      sums[r] = 0.0f;
    }
    __syncthreads();
    store_rows<WARPS>(partial[parity], y, tile * BLOCK_ROWS, M, 1 / UNIT);
    parity ^= 1;
    tile += gridDim.x;
  };
  while (tile < tiles) {
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
      if (tile < tiles) use(stages[d]);
    }
  }
}

template <int SLICES>
void launch(const unsigned* W, const __half* scale, const __half* x, __half* y, int M, int K) {
  const int tiles = kata::ceil_div(M, TILE_ROWS * (WARPS / SLICES));
  gemv_kernel<SLICES><<<one_wave(tiles, BLOCKS_PER_SM), THREADS>>>(
      reinterpret_cast<const uint4*>(W), scale, reinterpret_cast<const uint4*>(x), y, M, K);
}

extern "C" void w4a16_gemv(const unsigned* W, const __half* scale, const __half* x, __half* y,
                           int M, int K) {
  const auto run = K <= SLICE ? launch<1> : K <= 4 * SLICE ? launch<4> : launch<8>;
  run(W, scale, x, y, M, K);
}
