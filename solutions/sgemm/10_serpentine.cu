// Serpentine order of the FMAs: the operand reuse cache avoids register bank conflicts.
//
// An FMA reads three registers, and the register file has two banks. If its operands share a bank,
// it waits a clock. An operand that the previous FMA also used comes from the operand reuse cache.
// So one operand stays fixed while the inner loop runs over the other, forwards and backwards by
// turns; at each turn both stay. ptxas keeps this order.
//
// Prediction: rung 9 reaches 47 TFLOP/s where its model says 51. If bank conflicts are the
// difference, this is up to 8 % faster: 0.34 ms at 2048 cubed.
// Measured: 340.2 us at 2048x2048x2048, 77 % of the limit (H200, 2026-11-22)
#include <cuda_pipeline.h>
#include <kata/kata.h>

#include <stdint.h>

#include "matrix4.h"

// sum += a b^T in serpentine order. The longer operand advances in the outer loop; the inner loop
// runs forwards and backwards by turns, so the operand at each turn is used twice in a row.
template <int TM, int TN>
__device__ void multiply_add(float (&sum)[TM][TN], const float (&a)[TM], const float (&b)[TN]) {
  constexpr int SHORT = TM < TN ? TM : TN, LONG = TM < TN ? TN : TM;
#pragma unroll
  for (int outer = 0; outer < LONG; ++outer) {
#pragma unroll
    for (int step = 0; step < SHORT; ++step) {
      const int inner = outer % 2 == 0 ? step : SHORT - 1 - step;
      const int i = TM < TN ? inner : outer;
      const int j = TM < TN ? outer : inner;
      sum[i][j] += a[i] * b[j];
    }
  }
}

// A block computes a BM x BN tile of C. A warp is 8 x 4 threads with TM x TN elements each. Tiles
// of A and B are BK deep, and shared memory holds STAGES of them.
template <int BM, int BN, int TM, int TN>
struct Tile {
  static constexpr int BK = 16, STAGES = BN > 128 ? 3 : 4;
  static constexpr int WM = 8 * TM, WN = 4 * TN;
  static constexpr int WARPS_ACROSS = BN / WN;
  static constexpr int THREADS = BM / WM * WARPS_ACROSS * 32;
  static constexpr int PAD = 4;
  static constexpr int FLOATS_A = BK * (BM + PAD), FLOATS_B = BK * BN;  // per stage
  static constexpr int SHARED_BYTES = STAGES * (FLOATS_A + FLOATS_B) * 4;
  static constexpr int BLOCKS_PER_SM = TM * TN > 64 ? 1 : THREADS > 128 ? 2 : 3;
};

// Starts an asynchronous copy, or stores zeros. The floats arrive only after a wait.
template <int FLOATS>
__device__ void copy(float* to, const float* from, bool in_bounds) {
  if (in_bounds) {
    __pipeline_memcpy_async(to, from, FLOATS * sizeof(float));
  } else {
#pragma unroll
    for (int i = 0; i < FLOATS; ++i) to[i] = 0.0f;
  }
}

template <int BM, int BN, int TM, int TN, bool VECTOR>
__global__ void __launch_bounds__(Tile<BM, BN, TM, TN>::THREADS,
                                  Tile<BM, BN, TM, TN>::BLOCKS_PER_SM)
    sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  using T = Tile<BM, BN, TM, TN>;
  constexpr int BK = T::BK, STAGES = T::STAGES;
  extern __shared__ __align__(16) float shared[];
  float* const As = shared;                         // [STAGES][BK][BM + PAD], transposed
  float* const Bs = shared + STAGES * T::FLOATS_A;  // [STAGES][BK][BN]
  const int tid = threadIdx.x;
  const int lane = tid % 32;
  const int warp = tid / 32;
  const int row0 = blockIdx.y * BM;  // the block's tile of C
  const int col0 = blockIdx.x * BN;
  // The thread's elements: 4 x 4 squares, 32 rows and 16 columns apart.
  const int row = warp / T::WARPS_ACROSS * T::WM + (lane / 8 * 2 + lane / 2 % 2) * 4;
  const int col = warp % T::WARPS_ACROSS * T::WN + (lane / 4 % 2 * 2 + lane % 2) * 4;

  // If K is not a multiple of BK, the first tile is the short one: it starts before k = 0.
  const int tiles = kata::ceil_div(K, BK);
  const int first_k = K - tiles * BK;  // 0 or negative

  // The thread's share of each tile. A warp copies 8 consecutive k from each of 4 rows of A: whole
  // sectors, and 32 different banks of the transposed tile. Past the last row or column it copies
  // the last one again; results for those rows and columns are never stored.
  constexpr int ROWS_A = T::THREADS / 8;  // rows per pass
  constexpr int COPIES_A = BM / ROWS_A;
  constexpr int WIDTH_B = VECTOR ? 4 : 1;
  constexpr int ROWS_B = T::THREADS / (BN / WIDTH_B);
  constexpr int COPIES_B = BK / ROWS_B;
  const int row_A = tid / 8;
  const int k_A = tid % 8;
  const int k_B = tid / (BN / WIDTH_B);
  const int col_B = tid % (BN / WIDTH_B) * WIDTH_B;
  const int rows_left = M - 1 - row0 - row_A;
  const float* from_A = A + static_cast<int64_t>(row0 + row_A) * K + first_k + k_A;
  const float* from_B =
      B + static_cast<int64_t>(first_k + k_B) * N + min(col0 + col_B, N - WIDTH_B);

  // Starts to copy part `part` of `parts` of the next tile. Only the first tile can be short.
  const auto copy_tile = [&](int stage, bool first, int part, int parts) {
    float* const to_A = As + stage * T::FLOATS_A + k_A * (BM + T::PAD) + row_A;
    float* const to_B = Bs + stage * T::FLOATS_B + k_B * BN + col_B;
#pragma unroll
    for (int i = 2 * COPIES_A * part / parts; i < 2 * COPIES_A * (part + 1) / parts; ++i) {
      const int k = i / COPIES_A * 8;
      copy<1>(to_A + k * (BM + T::PAD) + i % COPIES_A * ROWS_A,
              from_A + static_cast<int64_t>(min(i % COPIES_A * ROWS_A, rows_left)) * K + k,
              !first || first_k + k + k_A >= 0);
    }
#pragma unroll
    for (int i = COPIES_B * part / parts; i < COPIES_B * (part + 1) / parts; ++i) {
      copy<WIDTH_B>(to_B + i * ROWS_B * BN, from_B + static_cast<size_t>(i * ROWS_B) * N,
                    !first || first_k + i * ROWS_B + k_B >= 0);
    }
  };
  const auto next_tile = [&] {
    from_A += BK;
    from_B += static_cast<size_t>(BK) * N;
    __pipeline_commit();
  };

  float a[2][TM], b[2][TN];  // operands of this k and of the next
  const auto load_operands = [&](int buffer, int stage, int k) {
#pragma unroll
    for (int i = 0; i < TM; i += 4) {
      load_shared4(a[buffer] + i, As + stage * T::FLOATS_A + k * (BM + T::PAD) + row + i * 8);
    }
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      load_shared4(b[buffer] + j, Bs + stage * T::FLOATS_B + k * BN + col + j * 4);
    }
  };

#pragma unroll
  for (int t = 0; t < STAGES - 1; ++t) {
    if (t < tiles) copy_tile(t, t == 0, 0, 1);
    next_tile();
  }
  __pipeline_wait_prior(STAGES - 2);
  __syncthreads();
  load_operands(0, 0, 0);

  float sum[TM][TN] = {};
  int stage = 0, fill_stage = STAGES - 1;
#pragma unroll 1
  for (int t = 0; t < tiles; ++t) {
    const int next_stage = t + 1 == tiles ? stage : stage + 1 < STAGES ? stage + 1 : 0;
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      // Issue the copies gradually across the tile so that they do not delay operand loads.
      if (k + 1 < BK) load_operands((k + 1) % 2, stage, k + 1);
      if (t + STAGES - 1 < tiles) copy_tile(fill_stage, false, k, BK);
      if (k + 1 == BK) {
        next_tile();
        // Past this barrier the next tile is complete, and no thread reads this one any more.
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        load_operands((k + 1) % 2, next_stage, 0);
      }
      multiply_add(sum, a[k % 2], b[k % 2]);
    }
    stage = next_stage;
    fill_stage = fill_stage + 1 < STAGES ? fill_stage + 1 : 0;
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int row_C = row0 + row + i / 4 * 32 + i % 4;
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      store4<VECTOR>(C, &sum[i][j], row_C, col0 + col + j * 4, M, N);
    }
  }
}

template <int BM, int BN, int TM, int TN, bool VECTOR>
void launch(const float* A, const float* B, float* C, int M, int N, int K) {
  using T = Tile<BM, BN, TM, TN>;
  cudaFuncSetAttribute(sgemm_kernel<BM, BN, TM, TN, VECTOR>,
                       cudaFuncAttributeMaxDynamicSharedMemorySize, T::SHARED_BYTES);
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM));
  sgemm_kernel<BM, BN, TM, TN, VECTOR><<<grid, T::THREADS, T::SHARED_BYTES>>>(A, B, C, M, N, K);
}

long long tile_count(int M, int N, int BM, int BN) {
  return 1LL * kata::ceil_div(M, BM) * kata::ceil_div(N, BN);
}

template <bool VECTOR>
void launch_by_shape(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr long long MIN_TILES = 99;  // three quarters of 132 SMs
  if constexpr (VECTOR) {
    if (tile_count(M, N, 128, 256) >= MIN_TILES)
      return launch<128, 256, 8, 16, true>(A, B, C, M, N, K);
  }
  if (tile_count(M, N, 128, 128) >= 2 * MIN_TILES) {
    launch<128, 128, 8, 8, VECTOR>(A, B, C, M, N, K);
  } else if (tile_count(M, N, 64, 128) >= MIN_TILES) {
    launch<64, 128, 8, 8, VECTOR>(A, B, C, M, N, K);
  } else {
    launch<32, 64, 4, 4, VECTOR>(A, B, C, M, N, K);
  }
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  if (K % 4 == 0 && N % 4 == 0 && is_aligned16(A) && is_aligned16(B) && is_aligned16(C)) {
    launch_by_shape<true>(A, B, C, M, N, K);
  } else {
    launch_by_shape<false>(A, B, C, M, N, K);
  }
}
