// exp2 with the scale folded in: one multiply-add and one ex2 per score.
//
// exp(scale s - scale max) = exp2(c s - c max) with c = scale log2(e), and c max is computed once
// per row. expf spends about 8 instructions a score on the same.
//
// Prediction: a tile has 64 x 64 scores for 2 x 64 x 64 x 128 multiply-adds on tensor cores, 512
// clocks of an SM at full rate. 8 instructions a score take 256 clocks of its issue slots, 2 take
// 64: 15 % of the time, 290 us. Missed: 4 %. The waits for tiles, which rung 5 removes, hid most of
// it.
// Measured: 509.4 us at 4x32x1024x128x0, 15 % of the limit (H200, 2026-11-24)
#include "mma_rows.h"

template <int DIM>
__global__ void __launch_bounds__(THREADS)
    flash_kernel(const __half* Q, const __half* K, const __half* V, __half* O, int length,
                 int causal, float scale) {
  __shared__ Tile<DIM, false> keys, values;
  const int blocks = kata::ceil_div(length, BM);
  const size_t head = static_cast<size_t>(blockIdx.x / blocks) * length * DIM;
  MmaRows<DIM> rows(Q + head, blockIdx.x % blocks * BM, length);
  const auto load = [](uint4* to, const uint4* from, bool exists) {
    *to = exists ? *from : uint4();
  };
  for (int first = 0; first < length; first += BN) {
    __syncthreads();  // the tiles before are no longer needed
    for_each_cell(keys, K + head, first, length, load);
    for_each_cell(values, V + head, first, length, load);
    __syncthreads();
    rows.multiply_keys(keys);
    rows.mask(first, causal);
    rows.template add_scores<true>(scale);
    rows.multiply_values(values);
  }
  rows.store(O + head);
}

extern "C" void flash_attention(const __half* Q, const __half* K, const __half* V, __half* O,
                                int batch, int heads, int length, int dim, int causal) {
  const auto kernel = dim == 64 ? flash_kernel<64> : flash_kernel<128>;
  kernel<<<batch * heads * kata::ceil_div(length, BM), THREADS>>>(Q, K, V, O, length, causal,
                                                                  1.0f / sqrtf(dim));
}
