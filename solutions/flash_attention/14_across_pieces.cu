// Across pieces: the first scores of the next piece run under the last product of this one.
//
// Each piece began with scores and a softmax while nothing of the warpgroup was on the tensor cores,
// and ended with a product that no softmax covered. Now a piece's end is a tile like any other: both
// products are issued together. The next queries wait in a second place; the finished output takes
// the place of its own queries, from where an idle warp of the producer has the TMA unit store it.
//
// Prediction: a piece of 8 tiles at 4 x 32 heads x 1024 x 128 takes 16.2 us, 2.2 us more than 8
// tiles of a long one; half of that goes: 550 TFLOP/s instead of 514. Nothing at 16384.
// In turn with rung 13 (trial of 2026-11-23, H200): 117 us where that takes 120.
// Measured: 117.2 us at 4x32x1024x128x0, 66 % of the limit (H200, 2026-11-24)
#include "stream.h"
#include "turns.h"

template <int DIM, int KEYS>
__global__ void __launch_bounds__(THREADS, 1)
    flash_kernel(const __grid_constant__ CUtensorMap Q, const __grid_constant__ CUtensorMap K,
                 const __grid_constant__ CUtensorMap V, const __grid_constant__ CUtensorMap O,
                 unsigned* counter, int pieces, int length, int causal, float factor) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  auto& stream = *reinterpret_cast<Stream<DIM, KEYS>*>(bytes);
  auto& ring = stream.ring;
  const int warpgroup = __shfl_sync(0xffffffffu, threadIdx.x / WARPGROUP, 0);
  stream.init_barriers();

  if (warpgroup == CONSUMERS) {
    give_registers<40>();
    const int warp = threadIdx.x % WARPGROUP / 32;
    if (threadIdx.x % 32 != 0) return;
    if (warp < CONSUMERS) stream.store_outputs(O, warp, length, causal);
    if (warp == CONSUMERS) stream.copy_inputs(Q, K, V, counter, pieces, length, causal);
    return;
  }

  take_registers<232>();
  using Rows = WarpgroupRows<DIM, KEYS>;
  Turns turns(warpgroup);
  int round = 0, use = 0;  // pieces and tiles so far
  int piece = stream.piece_of(0, warpgroup);
  if (piece == NO_PIECE) return;  // other blocks were faster
  Work work(piece, length, causal, KEYS);
  Rows rows(work.row0 + 64 * warpgroup, length, causal);
  wait(&ring.keys_full[0], 0);
  rows.start_scores(ring.queries[warpgroup].descriptor(), ring.keys[0].descriptor());
  wgmma_wait<0>();
  release(&ring.keys_empty[0]);
  rows.mask(0);
  rows.exponentiate(factor);
  rows.pack();

  // The scores of a tile for `next`, and P V of the tile before for `rows`: in a piece both are one.
  const auto step = [&](Rows& next, int first_key) {
    const int last = use % STAGES, last_parity = use / STAGES % 2;
    ++use;
    const int stage = use % STAGES;
    wait(&ring.keys_full[stage], use / STAGES % 2);
    turns.wait();
    next.start_scores(ring.queries[ring.slot(round, warpgroup)].descriptor(),
                      ring.keys[stage].descriptor());
    rows.rescale();
    wait(&ring.values_full[last], last_parity);
    rows.start_values(ring.values[last].descriptor());
    turns.pass();
    wgmma_wait<1>();  // the scores; P V goes on
    release(&ring.keys_empty[stage]);
    next.mask(first_key);
    next.exponentiate(factor);
    wgmma_wait<0>();
    release(&ring.values_empty[last]);
  };
  const auto hand_over = [&](int slot) {
    rows.store(ring.queries[slot]);
    fence_async();
    release(&stream.output_full[slot]);
  };
  for (;;) {
    for (int tile = 1; tile < work.tiles; ++tile) {
      step(rows, tile * KEYS);
      rows.pack();
    }
    piece = stream.piece_of(++round, warpgroup);
    if (piece == NO_PIECE) break;
    work = Work(piece, length, causal, KEYS);
    Rows next(work.row0 + 64 * warpgroup, length, causal);
    step(next, 0);
    hand_over(ring.slot(round - 1, warpgroup));
    next.pack();
    rows = next;
  }
  rows.rescale();
  wait(&ring.values_full[use % STAGES], use / STAGES % 2);
  rows.start_values(ring.values[use % STAGES].descriptor());
  wgmma_wait<0>();
  hand_over(ring.slot(round - 1, warpgroup));
}

template <int DIM, int KEYS>
void launch(const __half* Q, const __half* K, const __half* V, __half* O, int heads, int length,
            int causal) {
  constexpr int BYTES = sizeof(Stream<DIM, KEYS>);
  cudaFuncSetAttribute(flash_kernel<DIM, KEYS>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  static Scratch<unsigned> counter;
  const int pieces = heads * kata::ceil_div(length, BM);
  flash_kernel<DIM, KEYS><<<min(pieces, grid_of_processors()), THREADS, BYTES>>>(
      panel_map<DIM, 64>(Q, heads, length), panel_map<DIM, KEYS>(K, heads, length),
      panel_map<DIM, KEYS>(V, heads, length), panel_map<DIM, 64>(O, heads, length),
      counter.get_zeroed(1), pieces, length, causal, 1.44269504f / sqrtf(DIM));
}

extern "C" void flash_attention(const __half* Q, const __half* K, const __half* V, __half* O,
                                int batch, int heads, int length, int dim, int causal) {
  const bool wide = kata::ceil_div(length, 160) * 160 <= 1.05 * length;
  const auto narrow_tiles = dim == 64 ? launch<64, 128> : launch<128, 128>;
  const auto wide_tiles = dim == 64 ? launch<64, 160> : launch<128, 160>;
  const auto chosen = wide ? wide_tiles : narrow_tiles;
  chosen(Q, K, V, O, batch * heads, length, causal);
}
