// wgmma and TMA: two warpgroups own 128 keys, a producer warp brings queries, dQ leaves by TMA.
//
// key_block.h has the five products: P^T and dS^T stay in registers, dS goes through shared memory
// for dQ only. A box of dQ is added to device memory by one bulk reduction instead of 4096 atomics;
// its sums lie in the order of the threads, and the last kernel puts them in order. Needs compute
// capability 9.0.
//
// Prediction: a tile of 64 queries and 128 keys takes 2560 clocks of products at dim 128 and about
// 800 of exponentials and stores, which nothing hides but for the other warpgroup's. 172 GFLOP at
// 480 TFLOP/s, and 60 us for the first and last kernels: 420 us at 4 x 32 heads x 1024 x 128.
// Measured: 436.1 us at 4x32x1024x128x0, 44 % of the limit (H200, 2026-11-30)
#include "key_block.h"

constexpr int THREADS = (CONSUMERS + 1) * WARPGROUP;

template <int DIM>
__global__ void __launch_bounds__(THREADS, 1)
    gradient_kernel(const __grid_constant__ Inputs inputs, const __grid_constant__ CUtensorMap dK,
                    const __grid_constant__ CUtensorMap dV, const Statistics* statistics,
                    float* sums, int length, int pitch, int causal) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  constexpr int QUERIES = KeyBlock<DIM>::QUERIES;
  constexpr bool EARLY = DIM == 128;  // dV beside dS: twice the queries of dim 64 take the registers
  KeyBlock<DIM>& shared = *reinterpret_cast<KeyBlock<DIM>*>(bytes);
  const int blocks = kata::ceil_div(length, KEYS), head = blockIdx.x / blocks;
  const int key0 = blockIdx.x % blocks * KEYS, begin = causal ? key0 : 0;
  const int tiles = kata::ceil_div(length - begin, QUERIES);
  const int warpgroup = __shfl_sync(0xffffffffu, threadIdx.x / WARPGROUP, 0);
  if (threadIdx.x == 0) {
    init(&shared.keys_full, 2 * CONSUMERS);
    for (int s = 0; s < 2; ++s) {
      init(&shared.full[s], 3);
      init(&shared.empty[s], 4 * CONSUMERS);
    }
    fence_init();
  }
  __syncthreads();
  if (warpgroup == CONSUMERS) {
    give_registers<24>();
    if (threadIdx.x == CONSUMERS * WARPGROUP) {
      produce(shared, inputs, statistics + static_cast<size_t>(head) * pitch, head, key0, begin,
              tiles);
    }
    return;
  }
  take_registers<240>();
  const bool issues = threadIdx.x % WARPGROUP == 0;
  const int key = key0 + 64 * warpgroup;
  Gradients<DIM> gradients(warpgroup);
  wait(&shared.keys_full, 0);
  for (int tile = 0; tile < tiles; ++tile) {
    const int stage = tile % 2, query0 = begin + tile * QUERIES;
    wait(&shared.full[stage], tile / 2 % 2);
    gradients.start_products(shared, stage);
    wgmma_wait<1>();
    gradients.exponentiate(
        shared.statistics[stage], key + 64 <= length && !(causal && key + 63 > query0),
        [&](int row, int column) {
          return key + row < length && !(causal && key + row > query0 + column);
        });
    if (EARLY) gradients.start_values(shared, stage);
    wgmma_wait<EARLY ? 1 : 0>();
    gradients.differentiate(shared.statistics[stage], shared.ds[stage]);
    if (!EARLY) gradients.start_values(shared, stage);
    fence_async();
    consumers_barrier();
    float dq[32];
    gradients.add_products(shared, stage, shared.ds[stage], dq);
    release(&shared.empty[stage]);
    if (issues) wait_stores_read<0>();  // of the tile before
    warpgroup_barrier(2 + warpgroup);
    for (int i = 0; i < 8; ++i) {
      reinterpret_cast<float4*>(shared.dq[warpgroup])[i * WARPGROUP + threadIdx.x % WARPGROUP] =
          make_float4(dq[4 * i], dq[4 * i + 1], dq[4 * i + 2], dq[4 * i + 3]);
    }
    fence_async();
    warpgroup_barrier(2 + warpgroup);
    const size_t boxes = (static_cast<size_t>(head) * pitch + query0) / QUERIES * CONSUMERS;
    if (issues) add_box(sums + (boxes + warpgroup) * BOX, shared.dq[warpgroup]);
  }
  consumers_barrier();  // the other warpgroup has read these keys for dQ
  gradients.store(shared.keys[warpgroup], shared.values[warpgroup]);
  fence_async();
  warpgroup_barrier(2 + warpgroup);
  if (!issues) return;
  store_tile(dK, key, head, shared.keys[warpgroup]);
  store_tile(dV, key, head, shared.values[warpgroup]);
  wait_stores_read<0>();
}

template <int DIM>
void launch(const __half* Q, const __half* K, const __half* V, const __half* dO,
            const Statistics* statistics, __half* dQ, __half* dK, __half* dV, int heads, int length,
            int causal) {
  constexpr int QUERIES = KeyBlock<DIM>::QUERIES, BYTES = sizeof(KeyBlock<DIM>);
  const Inputs inputs{panel_map<DIM, QUERIES>(Q, heads, length), panel_map<DIM, 64>(K, heads, length),
                      panel_map<DIM, 64>(V, heads, length),
                      panel_map<DIM, QUERIES>(dO, heads, length)};
  float* sums = zeroed_boxes<DIM>(heads, length);
  cudaFuncSetAttribute(gradient_kernel<DIM>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  gradient_kernel<DIM><<<heads * kata::ceil_div(length, KEYS), THREADS, BYTES>>>(
      inputs, panel_map<DIM, 64>(dK, heads, length), panel_map<DIM, 64>(dV, heads, length),
      statistics, sums, length, padded(length), causal);
  round_boxes<DIM>(sums, dQ, heads, length);
}

extern "C" void flash_attention_backward(const __half* Q, const __half* K, const __half* V,
                                         const __half* O, const __half* dO, const float* lse,
                                         __half* dQ, __half* dK, __half* dV, int batch, int heads,
                                         int length, int dim, int causal) {
  const int all = batch * heads;
  const Statistics* statistics = statistics_of(O, dO, lse, all, length, dim);
  const auto run = dim == 64 ? launch<64> : launch<128>;
  run(Q, K, V, dO, statistics, dQ, dK, dV, all, length, causal);
}
