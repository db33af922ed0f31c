// Tiles of 160 keys: fewer barriers and turns per key, where the length fills such tiles.
//
// A turn at the tensor cores costs the same for any width: waiting for it, for two stages, and for
// the last product to drain. 160 keys are the most that two stages, the queries and the output
// leave room for. Lengths that would leave more than 5 % of the tiles empty keep 128.
//
// Prediction: per tile about 100 of 2100 clocks do not grow with it: 1 % at 16384, where an
// experiment had 7 %; nothing at 1024, which would fill 6.4 of 7 tiles.
// Measured: 120.2 us at 4x32x1024x128x0, 65 % of the limit (H200, 2026-11-24)
#include "output.h"
#include "pieces.h"
#include "turns.h"

template <int DIM, int KEYS>
__global__ void __launch_bounds__(THREADS, 1)
    flash_kernel(const __grid_constant__ CUtensorMap Q, const __grid_constant__ CUtensorMap K,
                 const __grid_constant__ CUtensorMap V, const __grid_constant__ CUtensorMap O,
                 unsigned* counter, int pieces, int length, int causal, float factor) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  auto& [ring, tiles] = *reinterpret_cast<Shared<DIM, KEYS>*>(bytes);
  const int warpgroup = __shfl_sync(0xffffffffu, threadIdx.x / WARPGROUP, 0);
  ring.init_barriers();

  if (warpgroup == CONSUMERS) {
    give_registers<40>();
    if (threadIdx.x != CONSUMERS * WARPGROUP) return;
    int round = 0, uses = 0;
    for (int piece; (piece = next_piece(counter, pieces)) < pieces; ++round) {
      const Work work(piece, length, causal, KEYS);
      ring.produce(Q, K, V, work, round, uses);
      uses += work.tiles;
    }
    ring.finish(round);
    return;
  }
  take_registers<232>();
  const uint64_t queries = ring.queries[warpgroup].descriptor();
  Turns turns(warpgroup);
  Output<DIM, KEYS> output(tiles[warpgroup], warpgroup);
  int use = 0;  // tiles so far
  for (int round = 0;; ++round) {
    wait(&ring.queries_full[warpgroup], round % 2);
    const int piece = ring.piece_of(warpgroup);
    if (piece == NO_PIECE) break;
    const Work work(piece, length, causal, KEYS);
    WarpgroupRows<DIM, KEYS> rows(work.row0 + 64 * warpgroup, length, causal);
    wait(&ring.keys_full[use % STAGES], use / STAGES % 2);
    rows.start_scores(queries, ring.keys[use % STAGES].descriptor());
    wgmma_wait<0>();
    release(&ring.keys_empty[use % STAGES]);
    rows.mask(0);
    rows.exponentiate(factor);
    rows.pack();
    for (int tile = 1; tile < work.tiles; ++tile) {
      const int last = use % STAGES, last_parity = use / STAGES % 2;
      ++use;
      const int stage = use % STAGES;
      wait(&ring.keys_full[stage], use / STAGES % 2);
      turns.wait();
      rows.start_scores(queries, ring.keys[stage].descriptor());
      rows.rescale();
      wait(&ring.values_full[last], last_parity);
      rows.start_values(ring.values[last].descriptor());
      turns.pass();
      wgmma_wait<1>();  // the scores; P V goes on
      release(&ring.keys_empty[stage]);
      rows.mask(tile * KEYS);
      rows.exponentiate(factor);
      wgmma_wait<0>();
      release(&ring.values_empty[last]);
      rows.pack();
    }
    release(&ring.queries_empty[warpgroup]);
    const int last = use % STAGES;
    rows.rescale();
    wait(&ring.values_full[last], use / STAGES % 2);
    rows.start_values(ring.values[last].descriptor());
    wgmma_wait<0>();
    release(&ring.values_empty[last]);
    ++use;
    output.store(rows, O, work);
  }
  output.finish();
}

template <int DIM, int KEYS>
void launch(const __half* Q, const __half* K, const __half* V, __half* O, int heads, int length,
            int causal) {
  constexpr int BYTES = sizeof(Shared<DIM, KEYS>);
  cudaFuncSetAttribute(flash_kernel<DIM, KEYS>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  static Scratch<unsigned> counter;
  const int pieces = heads * kata::ceil_div(length, BM);
  flash_kernel<DIM, KEYS><<<min(pieces, grid_of_processors()), THREADS, BYTES>>>(
      panel_map<DIM, 64>(Q, heads, length), panel_map<DIM, KEYS>(K, heads, length),
      panel_map<DIM, KEYS>(V, heads, length), panel_map<DIM, 64>(O, heads, length),
      counter.get_zeroed(1), pieces, length, causal,
      1.44269504f / sqrtf(DIM));
}

template <int DIM>
void launch(const __half* Q, const __half* K, const __half* V, __half* O, int heads, int length,
            int causal) {
  const bool wide = kata::ceil_div(length, 160) * 160 <= 1.05 * length;
  const auto chosen = wide ? launch<DIM, 160> : launch<DIM, 128>;
  chosen(Q, K, V, O, heads, length, causal);
}

extern "C" void flash_attention(const __half* Q, const __half* K, const __half* V, __half* O,
                                int batch, int heads, int length, int dim, int causal) {
  if (dim == 64) {
    launch<64>(Q, K, V, O, batch * heads, length, causal);
  } else {
    launch<128>(Q, K, V, O, batch * heads, length, causal);
  }
}
