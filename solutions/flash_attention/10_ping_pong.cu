// Ping-pong: two warpgroups take turns at the tensor cores, one's softmax under the other's products.
//
// Left alone, both may issue products at once and then compute exponentials at once. A named
// barrier per warpgroup passes the turn: a warpgroup waits for it, issues both products, and passes
// it on (FlashAttention-3: Shah and others, 2024).
//
// Prediction: tensor cores always have a queue: 650 TFLOP/s at 4 x 32 heads x 16384 x 128.
// Measured: 125.8 us at 4x32x1024x128x0, 62 % of the limit (H200, 2026-11-24)
#include "ring.h"
#include "turns.h"

template <int DIM>
__global__ void __launch_bounds__(THREADS, 1)
    flash_kernel(const __grid_constant__ CUtensorMap Q, const __grid_constant__ CUtensorMap K,
                 const __grid_constant__ CUtensorMap V, __half* O, int length, int causal,
                 float factor) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  Ring<DIM>& ring = *reinterpret_cast<Ring<DIM>*>(bytes);
  const Work work(blockIdx.x, length, causal);
  const int warpgroup = __shfl_sync(0xffffffffu, threadIdx.x / WARPGROUP, 0);
  ring.init_barriers();

  if (warpgroup == CONSUMERS) {
    give_registers<24>();
    if (threadIdx.x == CONSUMERS * WARPGROUP) ring.produce(Q, K, V, work);
    return;
  }
  take_registers<240>();
  WarpgroupRows<DIM> rows(work.row0 + 64 * warpgroup, length, causal);
  const uint64_t queries = ring.queries[warpgroup].descriptor();
  Turns turns(warpgroup);
  wait(&ring.queries_full[warpgroup], 0);
  wait(&ring.keys_full[0], 0);
  rows.start_scores(queries, ring.keys[0].descriptor());
  wgmma_wait<0>();
  release(&ring.keys_empty[0]);
  rows.mask(0);
  rows.exponentiate(factor);
  rows.pack();
  for (int tile = 1; tile < work.tiles; ++tile) {
    const int stage = tile % STAGES, last = (tile - 1) % STAGES;
    wait(&ring.keys_full[stage], tile / STAGES % 2);
    turns.wait();
    rows.start_scores(queries, ring.keys[stage].descriptor());
    rows.rescale();
    wait(&ring.values_full[last], (tile - 1) / STAGES % 2);
    rows.start_values(ring.values[last].descriptor());
    turns.pass();
    wgmma_wait<1>();  // the scores; P V goes on
    release(&ring.keys_empty[stage]);
    rows.mask(tile * BN);
    rows.exponentiate(factor);
    wgmma_wait<0>();
    release(&ring.values_empty[last]);
    rows.pack();
  }
  const int last = (work.tiles - 1) % STAGES;
  rows.rescale();
  wait(&ring.values_full[last], (work.tiles - 1) / STAGES % 2);
  rows.start_values(ring.values[last].descriptor());
  wgmma_wait<0>();
  rows.store(O + static_cast<size_t>(work.head) * length * DIM);
}

template <int DIM>
void launch(const __half* Q, const __half* K, const __half* V, __half* O, int heads, int length,
            int causal) {
  constexpr int BYTES = sizeof(Ring<DIM>);
  cudaFuncSetAttribute(flash_kernel<DIM>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  flash_kernel<DIM><<<heads * kata::ceil_div(length, BM), THREADS, BYTES>>>(
      panel_map<DIM, 64>(Q, heads, length), panel_map<DIM, BN>(K, heads, length),
      panel_map<DIM, BN>(V, heads, length), O, length, causal, 1.44269504f / sqrtf(DIM));
}

extern "C" void flash_attention(const __half* Q, const __half* K, const __half* V, __half* O,
                                int batch, int heads, int length, int dim, int causal) {
  if (dim == 64) {
    launch<64>(Q, K, V, O, batch * heads, length, causal);
  } else {
    launch<128>(Q, K, V, O, batch * heads, length, causal);
  }
}
