// wgmma: two warpgroups multiply straight from shared memory, which the TMA unit fills.
//
// A warpgroup owns 64 queries; both use the same tiles of 128 keys and values. A tensor core reads
// its operands itself, so ldmatrix and its instructions are gone. One thread issues the copies of
// the next tile. Needs compute capability 9.0.
//
// Prediction: mma.sync reaches 62 % of the tensor peak, wgmma all of it. Products take 1024 clocks
// per tile and warpgroup, softmax about 700, and nothing of one warpgroup overlaps but with the
// other: 400 TFLOP/s at 4 x 32 heads x 16384 x 128.
// Measured: 152.3 us at 4x32x1024x128x0, 51 % of the limit (H200, 2026-11-24)
#include "warpgroup_rows.h"

constexpr int WARPGROUPS = 2, BM = 64 * WARPGROUPS, THREADS = WARPGROUP * WARPGROUPS;

template <int DIM>
struct Shared {
  Tile<DIM, 64> queries[WARPGROUPS];
  Tile<DIM, BN> keys[2], values[2];
  Barrier queries_full, full[2];
};

template <int DIM>
__global__ void __launch_bounds__(THREADS)
    flash_kernel(const __grid_constant__ CUtensorMap Q, const __grid_constant__ CUtensorMap K,
                 const __grid_constant__ CUtensorMap V, __half* O, int length, int causal,
                 float factor) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  Shared<DIM>& shared = *reinterpret_cast<Shared<DIM>*>(bytes);
  const int blocks = kata::ceil_div(length, BM), head = blockIdx.x / blocks;
  const int row0 = (blocks - 1 - static_cast<int>(blockIdx.x % blocks)) * BM;
  const int tiles = kata::ceil_div(causal ? min(row0 + BM, length) : length, BN);
  const int warpgroup = __shfl_sync(0xffffffffu, threadIdx.x / WARPGROUP, 0);
  const auto load = [&](int tile) {
    load_tile(shared.keys[tile % 2], K, tile * BN, head, &shared.full[tile % 2]);
    load_tile(shared.values[tile % 2], V, tile * BN, head, &shared.full[tile % 2]);
  };
  if (threadIdx.x == 0) {
    init(&shared.queries_full, WARPGROUPS);
    for (Barrier& full : shared.full) init(&full, 2);  // keys and values
    fence_init();
    for (int w = 0; w < WARPGROUPS; ++w) {
      load_tile(shared.queries[w], Q, row0 + 64 * w, head, &shared.queries_full);
    }
    load(0);
  }
  __syncthreads();

  WarpgroupRows<DIM> rows(row0 + 64 * warpgroup, length, causal);
  wait(&shared.queries_full, 0);
  for (int tile = 0; tile < tiles; ++tile) {
    const int stage = tile % 2;
    if (threadIdx.x == 0 && tile + 1 < tiles) load(tile + 1);
    wait(&shared.full[stage], tile / 2 % 2);
    rows.start_scores(shared.queries[warpgroup].descriptor(), shared.keys[stage].descriptor());
    wgmma_wait<0>();
    rows.mask(tile * BN);
    rows.exponentiate(factor);
    rows.rescale();
    rows.pack();
    rows.start_values(shared.values[stage].descriptor());
    wgmma_wait<0>();
    __syncthreads();  // the next copies overwrite this stage
  }
  rows.store(O + static_cast<size_t>(head) * length * DIM);
}

template <int DIM>
void launch(const __half* Q, const __half* K, const __half* V, __half* O, int heads, int length,
            int causal) {
  constexpr int BYTES = sizeof(Shared<DIM>);
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
