#pragma once
// Attention of 64 queries by a warpgroup on wgmma, for the Hopper rungs.
//
// Tiles in shared memory are panels of 64 columns, each row 128 bytes, swizzled by the TMA unit.
// The scores of Q K^T stay in registers; converted in pairs they are the A operand of P V, as in
// mma_rows.h. A thread holds parts of two rows, 8 apart; four threads share a row.

#include <kata/kata.h>
#include <math_constants.h>

#include "../common/hopper.h"
#include "wgmma_products.h"

constexpr int BN = 128, WARPGROUP = 128;

template <int DIM, int ROWS>
struct Tile {
  static constexpr int PANEL_BYTES = ROWS * 128;
  __half panels[DIM / 64][ROWS][64];

  __device__ uint64_t descriptor() const { return tile_descriptor(panels, PANEL_BYTES); }
};

// x[heads, length, DIM] as panels: (column, row, panel, head). Rows past the end of a head become
// zeros, not the rows of the next head.
template <int DIM, int ROWS>
CUtensorMap panel_map(const __half* x, int heads, int length) {
  const cuuint64_t size[] = {64, static_cast<cuuint64_t>(length), DIM / 64,
                             static_cast<cuuint64_t>(heads)};
  const cuuint64_t strides[] = {DIM * sizeof(__half), 64 * sizeof(__half),
                                length * DIM * sizeof(__half)};
  const cuuint32_t box[] = {64, ROWS, DIM / 64, 1};
  return encode_map(x, 4, size, strides, box);
}

template <int DIM, int ROWS>
__device__ void load_tile(Tile<DIM, ROWS>& tile, const CUtensorMap& map, int row, int head,
                          Barrier* barrier) {
  arrive_expecting(barrier, sizeof(tile));
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(shared_address(&tile)),
      "l"(&map), "r"(0), "r"(row), "r"(0), "r"(head), "r"(shared_address(barrier))
      : "memory");
}

__device__ inline float exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

template <int DIM>
class WarpgroupRows {
 public:
  // The 64 queries from row0 on.
  __device__ WarpgroupRows(int row0, int length, bool causal)
      : row_(row0 + threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4),
        length_(length),
        causal_(causal) {
    max_[0] = max_[1] = -CUDART_INF_F;
  }

  // One group of wgmmas: scores = Q K^T.
  __device__ __forceinline__ void start_scores(uint64_t queries, uint64_t keys) {
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < DIM / 16; ++k) {  // 16 columns are 2 cells of 16 bytes
      multiply(score_, queries + k / 4 * (Tile<DIM, 64>::PANEL_BYTES / 16) + k % 4 * 2,
               keys + k / 4 * (Tile<DIM, BN>::PANEL_BYTES / 16) + k % 4 * 2, k > 0);
    }
    wgmma_commit();
  }

  // Keys `first` to `first` + BN - 1: past the end, and right of the diagonal, they get -infinity.
  __device__ __forceinline__ void mask(int first) {
    const int row0 = row_ - threadIdx.x % 32 / 4;
    if (first + BN <= length_ && !(causal_ && first + BN - 1 > row0)) return;
#pragma unroll
    for (int i = 0; i < BN / 2; ++i) {
      const int key = first + i / 4 * 8 + 2 * (threadIdx.x % 4) + i % 2;
      const int row = row_ + 8 * (i / 2 % 2);
      if (key >= length_ || (causal_ && key > row)) score_[i] = -CUDART_INF_F;
    }
  }

  // Scores become exp(scale (s - max)); factor = scale log2 e. The first tile must have a visible
  // key for each row: key 0 is one.
  __device__ __forceinline__ void exponentiate(float factor) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float max = max_[r];
#pragma unroll
      for (int i = 2 * r; i < BN / 2; i += 4) max = fmaxf(max, fmaxf(score_[i], score_[i + 1]));
      max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, 1));
      max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, 2));
      rescale_[r] = exp2_approx(factor * (max_[r] - max));
      max_[r] = max;
      const float scaled_max = factor * max;
      float sum = 0.0f;
#pragma unroll
      for (int i = 2 * r; i < BN / 2; i += 4) {
        score_[i] = exp2_approx(fmaf(factor, score_[i], -scaled_max));
        score_[i + 1] = exp2_approx(fmaf(factor, score_[i + 1], -scaled_max));
        sum += score_[i] + score_[i + 1];
      }
      sum_[r] = sum_[r] * rescale_[r] + sum;
    }
  }

  // The exponentials as halves: P.
  __device__ __forceinline__ void pack() {
#pragma unroll
    for (int i = 0; i < BN / 4; ++i) {
      const __half2 pair = __floats2half2_rn(score_[2 * i], score_[2 * i + 1]);
      p_[i / 4][i % 4] = *reinterpret_cast<const uint32_t*>(&pair);
    }
  }

  // The sums so far, to the maximum that the last call of exponentiate has found.
  __device__ __forceinline__ void rescale() {
#pragma unroll
    for (int i = 0; i < DIM / 2; ++i) o_[i] *= rescale_[i / 2 % 2];
  }

  // One group of wgmmas: O += P V.
  __device__ __forceinline__ void start_values(uint64_t values) {
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < BN / 16; ++k) {  // 16 rows of 128 bytes are 128 cells
      multiply_add(o_, p_[k], values + k * 128);
    }
    wgmma_commit();
  }

  __device__ __forceinline__ void store(__half* O) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float sum = sum_[r];
      sum += __shfl_xor_sync(0xffffffffu, sum, 1);
      sum += __shfl_xor_sync(0xffffffffu, sum, 2);
      const float factor = 1.0f / sum;
      const int row = row_ + 8 * r;
      __half* to = O + static_cast<size_t>(row) * DIM + 2 * (threadIdx.x % 4);
      if (row >= length_) continue;
#pragma unroll
      for (int i = 2 * r; i < DIM / 2; i += 4) {
        *reinterpret_cast<__half2*>(to + i / 4 * 8) =
            __floats2half2_rn(factor * o_[i], factor * o_[i + 1]);
      }
    }
  }

 private:
  const int row_, length_;  // the first of the thread's two rows
  const bool causal_;
  float score_[BN / 2];  // value i: row_ + 8 (i / 2 % 2), key 8 (i / 4) + 2 (lane % 4) + i % 2
  uint32_t p_[BN / 16][4];
  float o_[DIM / 2] = {};
  float max_[2], sum_[2] = {}, rescale_[2];
};
