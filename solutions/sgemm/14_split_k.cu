// Split-K: where C has few tiles, several blocks share the k of a tile. A cost model decides.
//
// 256 x 256 is 16 tiles of 64 x 64 for 132 SMs. With K in 8 parts, 128 blocks work. Each part
// writes its sums to scratch memory, and a second kernel adds them in order. For each size of tile
// and each number of parts, the model counts the tiles of the busiest SM, the k of a part and 64
// more for its start and its end, and how well the tile keeps the FMA units busy. The least work
// wins.
//
// Prediction: 256 x 256 x 16384 takes 55 us instead of 290. 300 x 5000 x 700 gets 64 x 64 tiles,
// 395 of them: 3 on each SM are 1.5 times 64 x 128 instead of 2. 58 us instead of 68. No change at
// the other sizes of times.csv.
// Measured: 58.8 us at 300x5000x700, 54 % of the limit (H200, 2026-11-24)
#include <kata/kata.h>

#include "../common/scratch.h"
#include "serpentine_loop.h"

constexpr int SMS = 132;

// Part blockIdx.z of k; C is [parts][M][N].
template <int BM, int BN, int TM, int TN, bool VECTOR>
__global__ void __launch_bounds__(AsyncTile<BM, BN, TM, TN>::THREADS,
                                  AsyncTile<BM, BN, TM, TN>::BLOCKS_PER_SM)
    sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K, int part_k) {
  using T = AsyncTile<BM, BN, TM, TN>;
  extern __shared__ __align__(16) float shared[];
  const int row0 = blockIdx.y * BM;
  const int col0 = blockIdx.x * BN;
  const int begin = blockIdx.z * part_k;
  TileCopier<T, VECTOR> copier(A, B, M, N, K, row0, col0, begin, min(K, begin + part_k));
  float sum[TM][TN] = {};
  multiply_tiles(sum, copier, shared, shared + T::STAGES * T::FLOATS_A);
  store_squares<VECTOR>(C + static_cast<size_t>(blockIdx.z) * M * N, sum,
                        row0 + T::row(threadIdx.x), col0 + T::col(threadIdx.x), M, N);
}

__global__ void add_parts_kernel(const float* sums, float* C, size_t size, int parts) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float sum = 0.0f;
  for (int p = 0; p < parts; ++p) sum += sums[p * size + i];
  C[i] = sum;
}

struct Plan {
  double work;  // of the busiest SM, in products; the chip does 195,000 per us and SM
  int parts;
};

// `efficiency` of the tile beside 128 x 256. The second kernel takes 2 us and moves parts + 1 times
// the bytes of C.
inline Plan plan_for(int BM, int BN, double efficiency, int M, int N, int K) {
  Plan best = {};
  for (int parts = 1; parts == 1 || (parts <= 8 && K / parts >= 128); ++parts) {
    const double second_kernel = 4e5 + 0.19 * (parts + 1) * M * N;
    const long long rounds = (tile_count(M, N, BM, BN) * parts - 1) / SMS + 1;
    const double work =
        rounds * BM * BN * (1.0 * K / parts + 64) / efficiency + (parts > 1 ? second_kernel : 0.0);
    if (parts == 1 || work < best.work) best = {work, parts};
  }
  return best;
}

template <int BM, int BN, int TM, int TN, bool VECTOR>
void launch(const float* A, const float* B, float* C, int M, int N, int K, int parts) {
  using T = AsyncTile<BM, BN, TM, TN>;
  static Scratch<float> scratch;
  cudaFuncSetAttribute(sgemm_kernel<BM, BN, TM, TN, VECTOR>,
                       cudaFuncAttributeMaxDynamicSharedMemorySize, T::SHARED_BYTES);
  const int part_k = kata::ceil_div(kata::ceil_div(K, parts), T::BK) * T::BK;
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM), kata::ceil_div(K, part_k));
  const size_t size = static_cast<size_t>(M) * N;
  float* sums = grid.z > 1 ? scratch.get(grid.z * size) : C;
  sgemm_kernel<BM, BN, TM, TN, VECTOR>
      <<<grid, T::THREADS, T::SHARED_BYTES>>>(A, B, sums, M, N, K, part_k);
  if (grid.z > 1) {
    const unsigned blocks = static_cast<unsigned>((size - 1) / 256 + 1);
    add_parts_kernel<<<blocks, 256>>>(sums, C, size, grid.z);
  }
}

template <bool VECTOR>
void launch_by_shape(const float* A, const float* B, float* C, int M, int N, int K) {
  const Plan plans[] = {plan_for(128, 256, VECTOR ? 1.0 : 0.01, M, N, K),
                        plan_for(128, 128, 0.93, M, N, K), plan_for(64, 128, 0.9, M, N, K),
                        plan_for(64, 64, 0.8, M, N, K), plan_for(32, 64, 0.6, M, N, K)};
  int best = 0;
  for (int i = 1; i < 5; ++i) best = plans[i].work < plans[best].work ? i : best;
  const int parts = plans[best].parts;
  if constexpr (VECTOR) {
    if (best == 0) launch<128, 256, 8, 16, VECTOR>(A, B, C, M, N, K, parts);
  }
  if (best == 1) launch<128, 128, 8, 8, VECTOR>(A, B, C, M, N, K, parts);
  if (best == 2) launch<64, 128, 8, 8, VECTOR>(A, B, C, M, N, K, parts);
  if (best == 3) launch<64, 64, 4, 8, VECTOR>(A, B, C, M, N, K, parts);
  if (best == 4) launch<32, 64, 4, 4, VECTOR>(A, B, C, M, N, K, parts);
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  if (K % 4 == 0 && N % 4 == 0 && is_aligned16(A) && is_aligned16(B) && is_aligned16(C)) {
    launch_by_shape<true>(A, B, C, M, N, K);
  } else {
    launch_by_shape<false>(A, B, C, M, N, K);
  }
}
