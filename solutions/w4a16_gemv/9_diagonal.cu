// The diagonal: each load of a warp covers one row, and x stays in registers.
//
// In rung 8 a load of a warp touches 64 bytes in each of 8 rows, and x comes from shared memory for
// every product. Here a warp loads 512 consecutive bytes of a row. Its eight groups of 128 weights
// are the rows of the left matrix, and their parts of x the columns of the right one: the products
// of interest are on the diagonal (own_x.h). A lane needs only the x of its own weights: 16
// registers, loaded once if K <= 8192. 8 warps share a row, fewer if it is short.
//
// Prediction: 100 issue slots for 2048 weights, 12 us at 28672 x 8192, under the 30 us of memory.
// 64 KB in flight per SM: 34 us, 8.3 us at 4096 x 4096. Missed: a trial took 45.5 us, and 8.4 us.
// Measured: 45.9 us at 28672x8192, 65 % of the limit (H200, 2026-11-25)
#include <kata/kata.h>

#include "../common/grid_size.h"
#include "own_x.h"
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
  float sums[TILE_ROWS] = {};
  int tile = blockIdx.x;
  int panel = 0;
  int parity = 0;  // partial[] may be written again two tiles later
  const auto use = [&](RowSlices<TILE_ROWS>& rows) {
    if (panels > 1) load_own_x(x8, first_k(panel), K, x);
    rows.add_products(x, sums);
    load_next(rows);
    if (++panel < panels) return;
    panel = 0;
#pragma unroll
    for (int r = 0; r < TILE_ROWS; ++r) {
      if (holds_sum()) partial[parity][warp_row + r][warp % SLICES * 8 + lane / 4] = sums[r];
      sums[r] = 0.0f;
    }
    __syncthreads();
    store_rows<WARPS>(partial[parity], y, tile * BLOCK_ROWS, M);
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
