// Tiles go through shared memory by cp.async, so that loads really run ahead.
//
// Rungs 8 to 10 load tiles ahead into registers. A warp counts its loads under way on six counters,
// and in rung 9's machine code the three tiles share one: waiting for the oldest tile waits for the
// newest too. A wait for groups of asynchronous copies waits for the oldest only. Each warp has a
// ring of its own, and a lane reads what it has copied itself, but for the scales. Long rows
// take 8 rows per tile: half as many sums to exchange. Misaligned scales are loaded late.
//
// Prediction: 34 us at 28672 x 8192. Trials: 34.6 us (rung 9: 45.7, a read 29.8), 12.5 at 11008 x
// 4096 (14.2), 7.6 at 4096 x 4096 (8.5). Without loads, so wrong, 26.0.
// Measured: 34.9 us at 28672x8192, 86 % of the limit (H200, 2026-11-25)
#include <kata/kata.h>

#include "../common/resident_blocks.h"
#include "copied_slices.h"
#include "raw_nibbles.h"
#include "row_sums.h"

constexpr int WARPS = 8;
constexpr int THREADS = 32 * WARPS;

// SLICES warps share a row, a warp works on ROWS rows of a tile, DEPTH tiles are in its ring.
template <int SLICES, int ROWS, int DEPTH, int BLOCKS_PER_SM, bool ALIGNED>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    gemv_kernel(const uint4* W4, const __half* scale, const uint4* x8, __half* y, int M, int K) {
  constexpr int BLOCK_ROWS = ROWS * (WARPS / SLICES);
  using Slices = CopiedSlices<ROWS, ALIGNED>;
  extern __shared__ uint4 memory[];
  __shared__ float partial[2][BLOCK_ROWS][SLICES * 8];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  Slices* const ring = reinterpret_cast<Slices*>(memory) + warp * DEPTH;
  const int warp_row = warp / SLICES * ROWS;
  const int panels = kata::ceil_div(K, SLICE * SLICES);
  const int tiles = kata::ceil_div(M, BLOCK_ROWS);
  const auto first_row = [&](int tile) { return tile * BLOCK_ROWS + warp_row; };
  const auto first_k = [&](int panel) { return (panel * SLICES + warp % SLICES) * SLICE; };

  int load_tile = blockIdx.x, load_panel = 0, load_stage = 0;
  const auto copy_next = [&] {
    if (load_tile < tiles) {
      ring[load_stage].copy(W4, scale, first_row(load_tile), first_k(load_panel), M, K);
    }
    __pipeline_commit();  // a group for each tile, also for none
    load_stage = load_stage + 1 == DEPTH ? 0 : load_stage + 1;
    if (++load_panel < panels) return;
    load_panel = 0;
    load_tile += gridDim.x;
  };
  for (int d = 0; d < DEPTH - 1; ++d) copy_next();

  uint4 x[4];
  load_own_x(x8, first_k(0) + 32 * lane, K, x);
  float offset = group_offset(x);
  int stage = 0;
  for (int tile = blockIdx.x, parity = 0; tile < tiles; tile += gridDim.x, parity ^= 1) {
    float sums[ROWS] = {};
    for (int panel = 0; panel < panels; ++panel) {
      copy_next();
      if (panels > 1) {
        load_own_x(x8, first_k(panel) + 32 * lane, K, x);
        offset = group_offset(x);
      }
      __pipeline_wait_prior(DEPTH - 1);
      __syncwarp();  // other lanes have copied the scales
      const Slices& in = ring[stage];
#pragma unroll
      for (int r = 0; r < ROWS; r += 2) {
        const uint4 u = in.words[r][lane];
        const uint4 l = in.words[r + 1][lane];
        float even[4] = {}, odd[4] = {};
        add_raw({u.x, u.y, u.z, u.w}, {l.x, l.y, l.z, l.w}, x, even, odd);
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const float s = in.scale_of(r + i, scale, first_row(tile), first_k(panel), M, K);
          sums[r + i] += s * (group_product(even, odd, i == 1) - offset);
        }
      }
      __syncwarp();  // all lanes have read the tile
      stage = stage + 1 == DEPTH ? 0 : stage + 1;
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      if (holds_sum()) partial[parity][warp_row + r][warp % SLICES * 8 + lane / 4] = sums[r];
    }
    __syncthreads();
    store_rows<WARPS>(partial[parity], y, tile * BLOCK_ROWS, M, 1 / UNIT);
  }
}

template <int SLICES, int ROWS, int DEPTH, int BLOCKS_PER_SM, bool ALIGNED>
void launch(const uint4* W4, const __half* scale, const uint4* x8, __half* y, int M, int K) {
  constexpr int BYTES = WARPS * DEPTH * sizeof(CopiedSlices<ROWS, ALIGNED>);
  const auto kernel = gemv_kernel<SLICES, ROWS, DEPTH, BLOCKS_PER_SM, ALIGNED>;
  static const int most = resident_blocks(kernel, THREADS, BYTES);
  const int tiles = kata::ceil_div(M, ROWS * (WARPS / SLICES));
  kernel<<<min(tiles, most), THREADS, BYTES>>>(W4, scale, x8, y, M, K);
}

extern "C" void w4a16_gemv(const unsigned* W, const __half* scale, const __half* x, __half* y,
                           int M, int K) {
  const bool aligned = K % SLICE == 0;
  const auto run = K <= SLICE ? (aligned ? launch<1, 4, 3, 4, true> : launch<1, 4, 3, 4, false>)
                   : K <= 4 * SLICE
                       ? (aligned ? launch<4, 4, 3, 4, true> : launch<4, 4, 3, 4, false>)
                       : (aligned ? launch<8, 8, 2, 2, true> : launch<8, 8, 2, 2, false>);
  run(reinterpret_cast<const uint4*>(W), scale, reinterpret_cast<const uint4*>(x), y, M, K);
}
