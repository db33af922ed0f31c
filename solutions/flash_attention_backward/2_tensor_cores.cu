// Tensor cores: all seven products on mma.sync, P and dS never leave the registers.
//
// A warp has 16 of the block's 64 rows. Scores and dP of these rows, rounded to half in pairs, are
// the A operand of the products that follow, as P is in flash_attention: for dQ the rows are
// queries, for dK and dV they are keys, and then the scores are the transposed ones, K Q^T.
//
// Prediction: 240 GFLOP at 4 x 32 heads x 1024 x 128. flash_attention's rung 4 reaches 135 TFLOP/s
// with this layout; here tiles are loaded once for three products or four, not two: 150 TFLOP/s,
// 1600 us.
// Measured: 1208.0 us at 4x32x1024x128x0, 16 % of the limit (H200, 2026-11-30)
#include "mma_weights.h"

template <int DIM>
struct Shared {
  Pair<DIM> own, other;
  Statistics statistics[SIDE];
};

// dA: dQ or dK. dB: dV, for keys only.
template <int DIM, bool OWNS_KEYS>
__global__ void __launch_bounds__(THREADS)
    gradient_kernel(Side own, Side other, const Statistics* statistics, __half* dA, __half* dB,
                    int length, int pitch, int causal) {
  extern __shared__ __align__(128) unsigned char bytes[];
  Shared<DIM>& shared = *reinterpret_cast<Shared<DIM>*>(bytes);
  const int blocks = kata::ceil_div(length, SIDE), head = blockIdx.x / blocks;
  const int row0 = blockIdx.x % blocks * SIDE, row = threadIdx.x / 32 * WARP_ROWS;
  const size_t at = static_cast<size_t>(head) * length * DIM;
  const Statistics* of_head = statistics + static_cast<size_t>(head) * pitch;
  load_pair(shared.own, own, at, row0, length, copy_cell);

  float da[DIM / 8][4] = {}, db[DIM / 8][4] = {};
  const int begin = causal && OWNS_KEYS ? row0 : 0;
  const int end = causal && !OWNS_KEYS ? min(row0 + SIDE, length) : length;
  for (int first = begin; first < end; first += SIDE) {
    __syncthreads();
    load_pair(shared.other, other, at, first, length, copy_cell);
    if (threadIdx.x < SIDE) {
      shared.statistics[threadIdx.x] = of_head[(OWNS_KEYS ? first : row0) + threadIdx.x];
    }
    __syncthreads();
    Weights<DIM, OWNS_KEYS> weights;
    weights.compute(shared.own, row, shared.other, row0, first, shared.statistics, length, causal);
    weights.add_ds(da, shared.other.a);
    if (OWNS_KEYS) weights.add_p(db, shared.other.b);
  }
  const size_t to = at + static_cast<size_t>(row0) * DIM;
  scale_by<DIM>(da, rsqrtf(DIM));
  store_halves<DIM>(dA + to, da, row, length - row0);
  if (OWNS_KEYS) store_halves<DIM>(dB + to, db, row, length - row0);
}

template <int DIM, bool OWNS_KEYS>
void launch(Side own, Side other, const Statistics* statistics, __half* dA, __half* dB, int heads,
            int length, int causal) {
  constexpr int BYTES = sizeof(Shared<DIM>);
  const auto kernel = gradient_kernel<DIM, OWNS_KEYS>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  kernel<<<heads * kata::ceil_div(length, SIDE), THREADS, BYTES>>>(
      own, other, statistics, dA, dB, length, padded(length), causal);
}

extern "C" void flash_attention_backward(const __half* Q, const __half* K, const __half* V,
                                         const __half* O, const __half* dO, const float* lse,
                                         __half* dQ, __half* dK, __half* dV, int batch, int heads,
                                         int length, int dim, int causal) {
  const int all = batch * heads;
  const Statistics* statistics = statistics_of(O, dO, lse, all, length, dim);
  const auto queries = dim == 64 ? launch<64, false> : launch<128, false>;
  const auto keys = dim == 64 ? launch<64, true> : launch<128, true>;
  queries({Q, dO}, {K, V}, statistics, dQ, nullptr, all, length, causal);
  keys({K, V}, {Q, dO}, statistics, dK, dV, all, length, causal);
}
