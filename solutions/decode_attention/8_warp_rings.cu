// Warp rings: the TMA unit keeps 40 KB of keys and values on their way to each warp.
//
// A warp of rung 7 has 8 KB in flight, in registers, and less while it computes: 48 KB per SM. Here
// each of a block's 4 warps has a ring of 5 tiles in shared memory, 160 KB in all. A warp refills a
// place of its ring itself, also for its block's next sequence: no producer, no barrier between
// warps. ldmatrix reads the swizzled tiles (warp_rings.h).
//
// Prediction: 64 x 8 kv heads x 8192 at 98 % of the limit, 477 us; 8 x 8 kv heads: 69 us.
// Measured: 21.4 us instead of 26 at 1 x 8 x 8192, 75 as before at 8 x 8, but 517 instead of 487
// at 64 x 8 (H200, 2026-11-23): boxes of 256-byte rows suit DRAM less. Dim 64, 8 x 8: 46, not 52.
#include "last_part.h"
#include "warp_rings.h"

template <int DIM>
struct Shared {
  WarpRing<DIM> rings[WARPS];
  Merged<DIM> merged;
  Barrier full[WARPS][WarpRing<DIM>::PLACES];
};

template <int DIM>
__global__ void __launch_bounds__(THREADS, 1)
    ring_kernel(const __grid_constant__ CUtensorMap keys,
                const __grid_constant__ CUtensorMap values, const __half* q, Cache cache,
                int batch, Shares<DIM> shares, __half* out) {
  constexpr int PLACES = WarpRing<DIM>::PLACES;
  extern __shared__ __align__(1024) unsigned char bytes[];
  Shared<DIM>& shared = *reinterpret_cast<Shared<DIM>*>(bytes);
  const int warp = threadIdx.x / 32;
  auto& ring = shared.rings[warp].tiles;
  Barrier* const full = shared.full[warp];
  if (threadIdx.x % 32 == 0) {
    for (int place = 0; place < PLACES; ++place) init(&full[place], 1);
  }
  WorkLine line(cache, batch);  // has a barrier
  if (!line.has_work()) return;

  WarpTiles ahead(line, warp);
  const int kv_head = Heads(Stretch(), cache).kv_head;
  const auto fill = [&](int place) {
    if (!ahead.has_tile()) return;
    if (threadIdx.x % 32 == 0) {
      KeyTile<DIM>& tile = ring[place];
      arrive_expecting(&full[place], sizeof(tile));
      const int key = ahead.first_key(), sequence = ahead.sequence();
      load_keys<DIM>(tile.keys, keys, key, kv_head, sequence, &full[place]);
      load_keys<DIM>(tile.values, values, key, kv_head, sequence, &full[place]);
    }
    ahead.advance();
  };
  for (int place = 0; place < PLACES; ++place) fill(place);

  int place = 0, parity = 0;
  while (line.has_work()) {
    const Stretch s = line.next();
    const Heads heads(s, cache);
    RingRows<DIM> rows(q + heads.row * DIM, heads.count, cache);
    const int end = s.end(cache);
    for (int tile = s.first_tile + warp; tile < s.end_tile; tile += WARPS) {
      wait(&full[place], parity);
      rows.add(ring[place], end - tile * WARP_KEYS);
      __syncwarp();  // all lanes have read it
      fill(place);
      if (++place == PLACES) {
        place = 0;
        parity ^= 1;
      }
    }
    finish_stretch(line, s, heads, cache, rows.rows(), shared.merged, shares, out);
  }
}

template <int DIM>
void launch(const __half* q, const Cache& cache, __half* out, int batch) {
  constexpr int BYTES = sizeof(Shared<DIM>);
  cudaFuncSetAttribute(ring_kernel<DIM>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  const int blocks = blocks_of(cache, 1);
  ring_kernel<DIM><<<blocks, THREADS, BYTES>>>(cache_map<DIM>(cache.k, cache, batch),
                                               cache_map<DIM>(cache.v, cache, batch), q, cache,
                                               batch, make_shares<DIM>(blocks), out);
}

extern "C" void decode_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                 const int* lengths, __half* out, int batch, int heads,
                                 int kv_heads, int max_length, int dim) {
  const Cache cache = {k_cache,  v_cache,    lengths,     heads,
                       kv_heads, max_length, 1.0f / sqrtf(dim)};
  if (dim == 64) {
    launch<64>(q, cache, out, batch);
  } else {
    launch<128>(q, cache, out, batch);
  }
}
