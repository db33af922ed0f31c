// Lazy rescaling: a rarely updated limit is subtracted from the scores, not the maximum so far.
//
// Any number near the maximum keeps exp2(score - number) in range: softmax divides it out. So the
// limit of a row starts 2^8 above its first tile and rises only when a score exceeds it. A tile
// then needs no maximum and no shuffles: the AND of the sign bits and one vote show that no limit
// rises, and the value warp reads one flag instead of eight factors. FlashAttention-4 skips most of
// its rescaling in this way (docs/ladders.md).
//
// Prediction: 270 instructions per thread and tile beside the products instead of 490: 111.5 us
// instead of 115.9 at d = 64, 213 instead of 219.5 at d = 128.
// Measured: 114.5 us at 4096x4096x64, 56 % of the limit (H100 80GB HBM3, 2026-11-25)
#include "lazy_limit.h"

template <int D>
__global__ void __launch_bounds__(THREADS, 1)
    part_kernel(const float* Q, const float* K, const float* V, QuadParts parts, int tiles_per_part,
                int M, int N, int d, float factor) {
  extern __shared__ __align__(128) float shared[];
  auto& memory = *reinterpret_cast<LazyMemory<D>*>(shared);
  const int row0 = blockIdx.x * RoleMemory<D>::BM;
  const int begin = blockIdx.y * tiles_per_part * BN, end = min(begin + tiles_per_part * BN, N);
  const int role = threadIdx.x / (32 * WARPS);
  memory.start(d);
  if (role < 2) memory.load_queries(Q, row0, M, d, factor);  // while the first keys are copied

  if (role == 0) {
    take_registers<128>();
    LazyScoreRows<D> rows(memory);
    for (int first = begin, n = 0; first < end; first += BN, ++n) {
      memory.wait_for(2 * n);
      rows.multiply_keys(memory.tile(2 * n), d);
      memory.release(2 * n);
      rows.exponentiate(end - first, n);
      rows.hand_over(n);
    }
    rows.store(parts, row0, M);
  } else if (role == 1) {
    take_registers<96>();
    LazyValueRows<D> rows(memory);
    for (int first = begin, n = 0; first < end; first += BN, ++n) {
      memory.wait_for(2 * n + 1);
      rows.take(n);
      rows.add_values(memory.tile(2 * n + 1));
      memory.release(2 * n + 1);
    }
    rows.store(parts, row0, M, d);
  } else {
    give_registers<32>();
    memory.copy_all(K, V, begin, end, d);
  }
}

template <int D>
void launch(const float* Q, const float* K, const float* V, float* O, int M, int N, int d) {
  constexpr int BYTES = sizeof(LazyMemory<D>);
  cudaFuncSetAttribute(part_kernel<D>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  int device = 0, processors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  const int query_tiles = kata::ceil_div(M, RoleMemory<D>::BM), key_tiles = kata::ceil_div(N, BN);
  const int wanted = min(max(processors / query_tiles, 1), key_tiles);
  const int tiles_per_part = kata::ceil_div(key_tiles, wanted);
  const QuadParts parts = make_quad_parts(kata::ceil_div(key_tiles, tiles_per_part), M, d);
  part_kernel<D><<<dim3(query_tiles, parts.count), THREADS, BYTES>>>(
      Q, K, V, parts, tiles_per_part, M, N, d, 1.44269504f / sqrtf(d));
  merge_quads(parts, O, M, d);
}

extern "C" void attention(const float* Q, const float* K, const float* V, float* O, int M, int N,
                          int d) {
  if (d <= 64) {
    launch<64>(Q, K, V, O, M, N, d);
  } else if (d <= 128) {
    launch<128>(Q, K, V, O, M, N, d);
  } else {
    launch<256>(Q, K, V, O, M, N, d);
  }
}
