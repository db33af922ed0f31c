// Padding: where rows of B are not aligned to 16 bytes, the product reads a padded copy of B.
//
// If N is not a multiple of 4, or B is not aligned, each float of B needs a copy instruction of its
// own: four times as many, and more registers than 128 x 256 tiles have left. A kernel before the
// product copies B to scratch memory, with rows of whole float4. That moves 8 bytes per element
// once, and pays if each element is used often: from M = 256 on. A needs no copy: it is transposed
// on its way, 4 bytes at a time, aligned or not.
//
// Prediction: 4097 x 4095 x 4099 runs like 4096 cubed, plus 33 us for the copy: 2750 us instead of
// 2900. At 1022 cubed the copy costs nearly what it gains. Aligned sizes do not change.
// Measured: 2780.8 us at 4097x4095x4099, 75 % of the limit (H200, 2026-11-24)
#include <kata/kata.h>

#include "../common/scratch.h"
#include "serpentine_loop.h"
#include "split_k.h"

constexpr int MIN_USES = 256;  // of an element of B, for a copy to pay

// As in rung 14, but the rows of B are `pitch` floats apart. STORE4: C allows 16-byte stores.
template <int BM, int BN, int TM, int TN, bool VECTOR, bool STORE4>
__global__ void __launch_bounds__(AsyncTile<BM, BN, TM, TN>::THREADS,
                                  AsyncTile<BM, BN, TM, TN>::BLOCKS_PER_SM)
    sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K, int pitch,
                 int part_k) {
  using T = AsyncTile<BM, BN, TM, TN>;
  extern __shared__ __align__(16) float shared[];
  const int row0 = blockIdx.y * BM;
  const int col0 = blockIdx.x * BN;
  const int begin = blockIdx.z * part_k;
  TileCopier<T, VECTOR> copier(A, B, M, pitch, K, row0, col0, begin, min(K, begin + part_k));
  float sum[TM][TN] = {};
  multiply_tiles(sum, copier, shared, shared + T::STAGES * T::FLOATS_A);
  store_squares<STORE4>(C + static_cast<size_t>(blockIdx.z) * M * N, sum,
                        row0 + T::row(threadIdx.x), col0 + T::col(threadIdx.x), M, N);
}

// to[K][pitch] = B[K][N], and zeros from column N on. Block (x, k) copies 256 columns.
__global__ void pad_kernel(const float* B, float* to, int N, int K, int pitch) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= pitch) return;
  for (int k = blockIdx.y; k < K; k += gridDim.y) {
    to[static_cast<size_t>(k) * pitch + col] = load_or_zero(B + static_cast<size_t>(k) * N, col, N);
  }
}

template <int BM, int BN, int TM, int TN, bool VECTOR, bool STORE4>
void launch(const float* A, const float* B, float* C, int M, int N, int K, int pitch, int parts) {
  using T = AsyncTile<BM, BN, TM, TN>;
  static Scratch<float> scratch;
  cudaFuncSetAttribute(sgemm_kernel<BM, BN, TM, TN, VECTOR, STORE4>,
                       cudaFuncAttributeMaxDynamicSharedMemorySize, T::SHARED_BYTES);
  const int part_k = kata::ceil_div(kata::ceil_div(K, parts), T::BK) * T::BK;
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM), kata::ceil_div(K, part_k));
  const size_t size = static_cast<size_t>(M) * N;
  float* sums = grid.z > 1 ? scratch.get(grid.z * size) : C;
  sgemm_kernel<BM, BN, TM, TN, VECTOR, STORE4>
      <<<grid, T::THREADS, T::SHARED_BYTES>>>(A, B, sums, M, N, K, pitch, part_k);
  if (grid.z > 1) {
    const unsigned blocks = static_cast<unsigned>((size - 1) / 256 + 1);
    add_parts_kernel<<<blocks, 256>>>(sums, C, size, grid.z);
  }
}

template <bool VECTOR, bool STORE4>
void launch_by_shape(const float* A, const float* B, float* C, int M, int N, int K, int pitch) {
  const auto [tile, parts] = choose_tile(VECTOR, M, N, K);
  if constexpr (VECTOR) {
    if (tile == 0) launch<128, 256, 8, 16, true, STORE4>(A, B, C, M, N, K, pitch, parts);
  }
  if (tile == 1) launch<128, 128, 8, 8, VECTOR, STORE4>(A, B, C, M, N, K, pitch, parts);
  if (tile == 2) launch<64, 128, 8, 8, VECTOR, STORE4>(A, B, C, M, N, K, pitch, parts);
  if (tile == 3) launch<64, 64, 4, 8, VECTOR, STORE4>(A, B, C, M, N, K, pitch, parts);
  if (tile == 4) launch<32, 64, 4, 4, VECTOR, STORE4>(A, B, C, M, N, K, pitch, parts);
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const bool whole_rows = N % 4 == 0;
  if (whole_rows && is_aligned16(B) && is_aligned16(C)) {
    launch_by_shape<true, true>(A, B, C, M, N, K, N);
  } else if (M >= MIN_USES) {
    static Scratch<float> padded;
    const int pitch = kata::ceil_div(N, 4) * 4;
    float* copy = padded.get(static_cast<size_t>(K) * pitch);
    pad_kernel<<<dim3(kata::ceil_div(pitch, 256), min(K, 4096)), 256>>>(B, copy, N, K, pitch);
    launch_by_shape<true, false>(A, copy, C, M, N, K, pitch);
  } else {
    launch_by_shape<false, false>(A, B, C, M, N, K, N);
  }
}
