// A producer warp: it alone waits for free stages and issues copies; the warpgroups only compute.
//
// Each stage has a barrier "full" (the bytes have come) and one "empty" (both warpgroups are done).
// Nothing else ties the warpgroups together, so that one can be in its softmax while the other
// multiplies. setmaxnreg moves the producer's registers to them.
//
// Prediction: the warpgroups drift apart until they queue for the tensor cores: 1024 + 1024 clocks
// of products per pair of tiles, softmax below that: 550 TFLOP/s at 4 x 32 heads x 16384 x 128.
// Measured: 139.8 us at 4x32x1024x128x0, 56 % of the limit (H200, 2026-11-24)
#include "ring.h"

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
  wait(&ring.queries_full[warpgroup], 0);
  for (int tile = 0; tile < work.tiles; ++tile) {
    const int stage = tile % STAGES, parity = tile / STAGES % 2;
    wait(&ring.keys_full[stage], parity);
    rows.start_scores(queries, ring.keys[stage].descriptor());
    wgmma_wait<0>();
    release(&ring.keys_empty[stage]);
    rows.mask(tile * BN);
    rows.exponentiate(factor);
    rows.rescale();
    rows.pack();
    wait(&ring.values_full[stage], parity);
    rows.start_values(ring.values[stage].descriptor());
    wgmma_wait<0>();
    release(&ring.values_empty[stage]);
  }
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
