#pragma once
// Tiles of A and B that cp.async brings to shared memory: their shape, and each thread's copies.

#include <cuda_pipeline.h>
#include <kata/kata.h>
#include <stdint.h>

#include "warp_tile.h"

/// Tiles of A and B are BK deep, and shared memory holds STAGES of them. A is transposed.
template <int BM_, int BN_, int TM, int TN>
struct AsyncTile : WarpTile<BM_, BN_, TM, TN> {
  static constexpr int BM = BM_, BN = BN_, BK = 16, STAGES = BN > 128 ? 3 : 4;
  static constexpr int THREADS = WarpTile<BM, BN, TM, TN>::THREADS;
  static constexpr int PITCH_A = BM + 4;  // padded against bank conflicts
  static constexpr int FLOATS_A = BK * PITCH_A, FLOATS_B = BK * BN;  // per stage
  static constexpr int SHARED_BYTES = STAGES * (FLOATS_A + FLOATS_B) * 4;
  static constexpr int BLOCKS_PER_SM = TM * TN > 64 ? 1 : THREADS > 128 ? 2 : 3;
};

inline long long tile_count(int M, int N, int BM, int BN) {
  return 1LL * kata::ceil_div(M, BM) * kata::ceil_div(N, BN);
}

/// Starts an asynchronous copy, or stores zeros. The floats arrive only after a wait.
template <int FLOATS>
__device__ __forceinline__ void copy_or_zero(float* to, const float* from, bool in_bounds) {
  if (in_bounds) {
    __pipeline_memcpy_async(to, from, FLOATS * sizeof(float));
  } else {
#pragma unroll
    for (int i = 0; i < FLOATS; ++i) to[i] = 0.0f;
  }
}

/// A thread's share of the copies of all tiles along k.
///
/// If K is not a multiple of BK, the first tile is the short one: it starts before the first k, and
/// the loop over the other tiles needs no bounds checks in k. Past the last row or column the
/// thread copies the last one again; results for those rows and columns are never stored.
template <class T, bool VECTOR>
class TileCopier {
 public:
  int tiles;  // along k

  __device__ __forceinline__ TileCopier(const float* A, const float* B, int M, int N, int K,
                                        int row0, int col0)
      : TileCopier(A, B, M, N, K, row0, col0, 0, K) {}

  /// Only k from `begin` to `end` - 1.
  __device__ __forceinline__ TileCopier(const float* A, const float* B, int M, int N, int K,
                                        int row0, int col0, int begin, int end)
      : tiles(kata::ceil_div(end - begin, T::BK)),
        K_(K),
        N_(N),
        begin_(begin),
        first_k_(end - tiles * T::BK) {
    const int tid = threadIdx.x;
    row_A_ = tid / 8;
    k_A_ = tid % 8;
    k_B_ = tid / (T::BN / WIDTH_B);
    col_B_ = tid % (T::BN / WIDTH_B) * WIDTH_B;
    rows_left_ = M - 1 - row0 - row_A_;
    from_A_ = A + static_cast<int64_t>(row0 + row_A_) * K + first_k_ + k_A_;
    from_B_ = B + static_cast<int64_t>(first_k_ + k_B_) * N + min(col0 + col_B_, N - WIDTH_B);
  }

  /// Starts to copy part `part` of `parts` of the next tile to this stage of As and Bs.
  __device__ __forceinline__ void copy_part(float* As, float* Bs, int stage, bool first, int part,
                                            int parts) const {
    float* const to_A = As + stage * T::FLOATS_A + k_A_ * T::PITCH_A + row_A_;
    float* const to_B = Bs + stage * T::FLOATS_B + k_B_ * T::BN + col_B_;
#pragma unroll
    for (int i = 2 * COPIES_A * part / parts; i < 2 * COPIES_A * (part + 1) / parts; ++i) {
      const int k = i / COPIES_A * 8;
      copy_or_zero<1>(
          to_A + k * T::PITCH_A + i % COPIES_A * ROWS_A,
          from_A_ + static_cast<int64_t>(min(i % COPIES_A * ROWS_A, rows_left_)) * K_ + k,
          !first || first_k_ + k + k_A_ >= begin_);
    }
#pragma unroll
    for (int i = COPIES_B * part / parts; i < COPIES_B * (part + 1) / parts; ++i) {
      copy_or_zero<WIDTH_B>(to_B + i * ROWS_B * T::BN,
                            from_B_ + static_cast<size_t>(i * ROWS_B) * N_,
                            !first || first_k_ + i * ROWS_B + k_B_ >= begin_);
    }
  }

  /// The copies since the last call are one group, and the next tile follows.
  __device__ __forceinline__ void next_tile() {
    from_A_ += T::BK;
    from_B_ += static_cast<size_t>(T::BK) * N_;
    __pipeline_commit();
  }

 private:
  // A warp copies 8 consecutive k from each of 4 rows of A: whole sectors, and 32 different banks
  // of the transposed tile.
  static constexpr int ROWS_A = T::THREADS / 8;  // rows per pass
  static constexpr int COPIES_A = T::BM / ROWS_A;
  static constexpr int WIDTH_B = VECTOR ? 4 : 1;
  static constexpr int ROWS_B = T::THREADS / (T::BN / WIDTH_B);
  static constexpr int COPIES_B = T::BK / ROWS_B;

  int K_, N_, begin_, first_k_;  // first_k_ is begin_ or less
  int row_A_, k_A_, k_B_, col_B_, rows_left_;
  const float* from_A_;
  const float* from_B_;
};

/// The thread's operands for one k, from this stage of As and Bs.
template <class T, int TM, int TN>
__device__ __forceinline__ void load_operands(float (&a)[TM], float (&b)[TN], const float* As,
                                              const float* Bs, int stage, int k, int row, int col) {
#pragma unroll
  for (int i = 0; i < TM; i += 4) {
    load_shared4(a + i, As + stage * T::FLOATS_A + k * T::PITCH_A + row + i * 8);
  }
#pragma unroll
  for (int j = 0; j < TN; j += 4) {
    load_shared4(b + j, Bs + stage * T::FLOATS_B + k * T::BN + col + j * 4);
  }
}
