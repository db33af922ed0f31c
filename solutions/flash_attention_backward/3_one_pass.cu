// One pass over the scores: a block owns 64 keys, makes dK and dV, and adds its share to dQ.
//
// Five products instead of seven, as in FlashAttention-2 (Tri Dao, 2023). dQ is a sum over blocks:
// atomics add floats in scratch memory, and a last kernel rounds them. For dQ = dS K the warps need
// dS by queries, and have it by keys: it goes through shared memory, and the block first adds up
// its 64 keys in registers. dQ is no longer the same bits in each call.
//
// Prediction: 5/7 of the products. A tile of 64 x 64 scores adds 64 x 128 floats, 32 KB: 1 GB in all
// at 4 x 32 heads x 1024 x 128, as atomics of a sector at a time 300 us, beside the products: 1250
// us.
// Measured: 1462.5 us at 4x32x1024x128x0, 13 % of the limit (H200, 2026-11-30)
#include "mma_weights.h"
#include "query_sums.h"

template <int DIM>
struct Shared {
  Pair<DIM> keys, queries;
  Chunk<SIDE> ds;  // keys are its rows
  Statistics statistics[SIDE];
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
  load_pair(shared.keys, keys, at, key0, length, copy_cell);

  float dk[DIM / 8][4] = {}, dv[DIM / 8][4] = {};
  for (int first = causal ? key0 : 0; first < length; first += SIDE) {
    __syncthreads();
    load_pair(shared.queries, queries, at, first, length, copy_cell);
    if (threadIdx.x < SIDE) shared.statistics[threadIdx.x] = of_head[first + threadIdx.x];
    __syncthreads();
    Weights<DIM, true> weights;
    weights.compute(shared.keys, row, shared.queries, key0, first, shared.statistics, length,
                    causal);
    weights.store_ds(shared.ds, row);
    weights.add_p(dv, shared.queries.b);
    weights.add_ds(dk, shared.queries.a);
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
