// Tile by shape: few queries take tiles of 16, 32 or 64 queries, in blocks of 128 threads.
//
// A tile of rung 10 has 64 to 256 queries and is computed by one SM: 1024 x 1024 x 64 has 64 tiles
// for 132 SMs, 111 queries fill 43 % of one. Rung 7's tiles are smaller, several share an SM, and
// where one block has all keys it stores O itself (small_tile.h). Few rows in many parts are merged
// by a block each: 128 rows of 128 parts were read by 16 blocks, 8 loads at a time. How many rows
// of scores an SM has, M key tiles / SMs, decides: trials show where larger tiles win.
//
// Prediction (H200): 22 us instead of 29 at 1024x1024x64, 30 instead of 55 at 128x16384x64, 10
// instead of 26 at 40x62x120; others as before. Trials took 19.8, 29.3 and 12.0 (2026-11-29).
// Measured: not yet
#include "lazy_limit.h"
#include "small_tile.h"

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
  if (role < 2) memory.load_queries(Q, row0, M, d, factor);

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
void launch_roles(const float* Q, const float* K, const float* V, float* O, int M, int N, int d) {
  constexpr int BYTES = sizeof(LazyMemory<D>);
  cudaFuncSetAttribute(part_kernel<D>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  const int query_tiles = kata::ceil_div(M, RoleMemory<D>::BM);
  const int tiles = tiles_of_part(processors(), query_tiles, N);
  const QuadParts parts = make_quad_parts(kata::ceil_div(N, tiles * BN), M, d);
  part_kernel<D><<<dim3(query_tiles, parts.count), THREADS, BYTES>>>(Q, K, V, parts, tiles, M, N, d,
                                                                     1.44269504f / sqrtf(d));
  merge(parts, O, M, d);
}

template <int ROWS, int D>
void launch_small(const float* Q, const float* K, const float* V, float* O, int M, int N, int d) {
  using T = RegisterTile<ROWS, D>;
  const auto kernel = small_kernel<T>;
  int per_processor = 1;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, T::SHARED_BYTES);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel, T::THREADS,
                                                T::SHARED_BYTES);
  const int query_tiles = kata::ceil_div(M, T::BM);
  const int tiles = tiles_of_part(processors() * per_processor, query_tiles, N);
  const QuadParts parts = make_quad_parts(kata::ceil_div(N, tiles * BN), M, d);
  kernel<<<dim3(query_tiles, parts.count), T::THREADS, T::SHARED_BYTES>>>(Q, K, V, parts, tiles, O,
                                                                          M, N, d, 1.0f / sqrtf(d));
  if (parts.count > 1) merge(parts, O, M, d);
}

template <int D>
void launch(const float* Q, const float* K, const float* V, float* O, int M, int N, int d) {
  const int rows = M * kata::ceil_div(N, BN) / processors();  // of scores, 64 keys wide, for an SM
  if (rows > max(128, RoleMemory<D>::BM)) {
    launch_roles<D>(Q, K, V, O, M, N, d);
  } else if (rows >= 64 && M > 32) {
    launch_small<4, D>(Q, K, V, O, M, N, d);
  } else if (rows >= 16 && M > 16) {
    launch_small<2, D>(Q, K, V, O, M, N, d);
  } else {
    launch_small<1, D>(Q, K, V, O, M, N, d);
  }
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
