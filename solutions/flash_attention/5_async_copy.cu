// cp.async in two stages: the keys and values of the next tile arrive while one tile is computed.
//
// The copies go past the registers, and the tiles are swizzled instead of padded: 64 KB for two
// stages at dim 128, so three blocks fit on an SM.
//
// Prediction: without it each tile of 32 KB waits for L2, about 1 us, with two other blocks to fill
// the gap. 350 TFLOP/s, which is what FlashAttention-2 reaches here: 200 us at 4 x 32 heads x 1024
// x 128. Missed: 197 TFLOP/s.
// Measured: 348.5 us at 4x32x1024x128x0, 22 % of the limit (H200, 2026-11-24)
#include <cuda_pipeline_primitives.h>

#include "mma_rows.h"

template <int DIM>
struct Stage {
  Tile<DIM, true> keys, values;
};

template <int DIM>
__global__ void __launch_bounds__(THREADS)
    flash_kernel(const __half* Q, const __half* K, const __half* V, __half* O, int length,
                 int causal, float scale) {
  extern __shared__ __align__(128) unsigned char shared[];
  Stage<DIM>* stages = reinterpret_cast<Stage<DIM>*>(shared);
  const int blocks = kata::ceil_div(length, BM);
  const int row0 = blockIdx.x % blocks * BM, tiles = kata::ceil_div(length, BN);
  const size_t head = static_cast<size_t>(blockIdx.x / blocks) * length * DIM;
  const auto start_copy = [&](int tile) {
    const auto copy = [](uint4* to, const uint4* from, bool exists) {
      __pipeline_memcpy_async(to, from, 16, exists ? 0 : 16);  // the last number: bytes of zeros
    };
    if (tile < tiles) {
      for_each_cell(stages[tile % 2].keys, K + head, tile * BN, length, copy);
      for_each_cell(stages[tile % 2].values, V + head, tile * BN, length, copy);
    }
    __pipeline_commit();
  };
  start_copy(0);
  MmaRows<DIM> rows(Q + head, row0, length);
  for (int tile = 0; tile < tiles; ++tile) {
    start_copy(tile + 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    const Stage<DIM>& stage = stages[tile % 2];
    rows.multiply_keys(stage.keys);
    rows.mask(tile * BN, causal);
    rows.template add_scores<true>(scale);
    rows.multiply_values(stage.values);
    __syncthreads();  // the next copies overwrite this stage
  }
  rows.store(O + head);
}

template <int DIM>
void launch(const __half* Q, const __half* K, const __half* V, __half* O, int heads, int length,
            int causal) {
  constexpr int BYTES = 2 * sizeof(Stage<DIM>);
  cudaFuncSetAttribute(flash_kernel<DIM>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  flash_kernel<DIM><<<heads * kata::ceil_div(length, BM), THREADS, BYTES>>>(
      Q, K, V, O, length, causal, 1.0f / sqrtf(DIM));
}

extern "C" void flash_attention(const __half* Q, const __half* K, const __half* V, __half* O,
                                int batch, int heads, int length, int dim, int causal) {
  if (dim == 64) {
    launch<64>(Q, K, V, O, batch * heads, length, causal);
  } else {
    launch<128>(Q, K, V, O, batch * heads, length, causal);
  }
}
