// cp.async in two stages: the next tile of Q and dO arrives while one is computed.
//
// In rung 3 each tile waits for 32 KB from L2, about 1 us, and only the other block of the SM fills
// the gap. Two stages of queries beside the keys take 105 KB at dim 128: two blocks still fit. Rows
// past the end become zeros, as cp.async can fill cells without reading.
//
// Prediction: flash_attention's rung 5 took 32 % less time by this. Here a tile has 2.5 times the
// products for the same wait: 15 % less, 1050 us at 4 x 32 heads x 1024 x 128.
// Measured: 1251.4 us at 4x32x1024x128x0, 15 % of the limit (H200, 2026-11-30)
#include <cuda_pipeline_primitives.h>

#include "mma_weights.h"
#include "query_sums.h"

template <int DIM>
struct Stage {
  Pair<DIM> queries;
  Statistics statistics[SIDE];
};

template <int DIM>
struct Shared {
  Pair<DIM> keys;
  Stage<DIM> stages[2];
  Chunk<SIDE> ds;  // keys are its rows
};

template <int DIM>
__global__ void __launch_bounds__(THREADS)
    gradient_kernel(Side keys, Side queries, const Statistics* statistics, float* dQ, __half* dK,
                    __half* dV, int length, int pitch, int causal) {
  extern __shared__ __align__(128) unsigned char bytes[];
  Shared<DIM>& shared = *reinterpret_cast<Shared<DIM>*>(bytes);
  const int blocks = kata::ceil_div(length, SIDE), head = blockIdx.x / blocks;
  const int key0 = blockIdx.x % blocks * SIDE, row = threadIdx.x / 32 * WARP_ROWS;
  const size_t at = static_cast<size_t>(head) * length * DIM;
  const Statistics* of_head = statistics + static_cast<size_t>(head) * pitch;
  const auto copy = [](uint4* to, const uint4* from, bool exists) {
    __pipeline_memcpy_async(to, from, 16, exists ? 0 : 16);  // the last number: bytes of zeros
  };
  const auto start_copy = [&](int first) {
    Stage<DIM>& stage = shared.stages[first / SIDE % 2];
    if (first < length) {
      load_pair(stage.queries, queries, at, first, length, copy);
      if (threadIdx.x < SIDE / 2) {
        __pipeline_memcpy_async(&stage.statistics[2 * threadIdx.x],
                                &of_head[first + 2 * threadIdx.x], 16);
      }
    }
    __pipeline_commit();
  };

  float dk[DIM / 8][4] = {}, dv[DIM / 8][4] = {};
  const int begin = causal ? key0 : 0;
  load_pair(shared.keys, keys, at, key0, length, copy);
  start_copy(begin);
  for (int first = begin; first < length; first += SIDE) {
    const Stage<DIM>& stage = shared.stages[first / SIDE % 2];
    __syncthreads();  // the other stage, and dS, are no longer needed
    start_copy(first + SIDE);
    __pipeline_wait_prior(1);
    __syncthreads();
    Weights<DIM, true> weights;
    weights.compute(shared.keys, row, stage.queries, key0, first, stage.statistics, length,
                    causal);
    weights.store_ds(shared.ds, row);
    weights.add_p(dv, stage.queries.b);
    weights.add_ds(dk, stage.queries.a);
    __syncthreads();
    add_query_sums<DIM>(dQ + at + static_cast<size_t>(first) * DIM, shared.ds, shared.keys.a, row,
                        length - first);
  }
  const size_t to = at + static_cast<size_t>(key0) * DIM;
  scale_by<DIM>(dk, rsqrtf(DIM));
  store_halves<DIM>(dK + to, dk, row, length - key0);
  store_halves<DIM>(dV + to, dv, row, length - key0);
}

template <int DIM>
void launch(Side keys, Side queries, const Statistics* statistics, __half* dQ, __half* dK,
            __half* dV, int heads, int length, int causal) {
  constexpr int BYTES = sizeof(Shared<DIM>);
  const size_t elements = static_cast<size_t>(heads) * length * DIM;
  float* sums = zeroed_sums(elements);
  cudaFuncSetAttribute(gradient_kernel<DIM>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  gradient_kernel<DIM><<<heads * kata::ceil_div(length, SIDE), THREADS, BYTES>>>(
      keys, queries, statistics, sums, dK, dV, length, padded(length), causal);
  round_sums(sums, dQ, elements, 1.0f / sqrtf(DIM));
}

extern "C" void flash_attention_backward(const __half* Q, const __half* K, const __half* V,
                                         const __half* O, const __half* dO, const float* lse,
                                         __half* dQ, __half* dK, __half* dV, int batch, int heads,
                                         int length, int dim, int causal) {
  const Statistics* statistics = statistics_of(O, dO, lse, batch * heads, length, dim);
  const auto run = dim == 64 ? launch<64> : launch<128>;
  run({K, V}, {Q, dO}, statistics, dQ, dK, dV, batch * heads, length, causal);
}
