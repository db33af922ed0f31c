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

constexpr int BN = 128, WARPGROUP = 128;  // keys in a tile, but for rung 13; threads

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

template <int DIM>
__device__ void store_tile(const CUtensorMap& map, int row, int head, const Tile<DIM, 64>& tile) {
  asm volatile(
      "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::"l"(
          &map),
      "r"(0), "r"(row), "r"(0), "r"(head), "r"(shared_address(&tile))
      : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__device__ inline float exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

template <int DIM, int KEYS = BN>
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
               keys + k / 4 * (Tile<DIM, KEYS>::PANEL_BYTES / 16) + k % 4 * 2, k > 0);
    }
    wgmma_commit();
  }

  // Keys `first` to `first` + KEYS - 1: past the end, and right of the diagonal, they get -infinity.
  __device__ __forceinline__ void mask(int first) {
    const int row0 = row_ - threadIdx.x % 32 / 4;
    if (first + KEYS <= length_ && !(causal_ && first + KEYS - 1 > row0)) return;
#pragma unroll
    for (int i = 0; i < KEYS / 2; ++i) {
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
      for (int i = 2 * r; i < KEYS / 2; i += 4) max = fmaxf(max, fmaxf(score_[i], score_[i + 1]));
      max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, 1));
      max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, 2));
      rescale_[r] = exp2_approx(factor * (max_[r] - max));
      max_[r] = max;
      const float scaled_max = factor * max;
      float sum = 0.0f;
#pragma unroll
      for (int i = 2 * r; i < KEYS / 2; i += 4) {
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
    for (int i = 0; i < KEYS / 4; ++i) p_[i / 4][i % 4] = pair(score_[2 * i], score_[2 * i + 1]);
  }

  // The sums so far, to the maximum that the last call of exponentiate has found: seldom a new one.
  __device__ __forceinline__ void rescale() {
    if (!__any_sync(0xffffffffu, rescale_[0] != 1.0f || rescale_[1] != 1.0f)) return;
#pragma unroll
    for (int i = 0; i < DIM / 2; ++i) o_[i] *= rescale_[i / 2 % 2];
  }

  // One group of wgmmas: O += P V.
  __device__ __forceinline__ void start_values(uint64_t values) {
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < KEYS / 16; ++k) {  // 16 rows of 128 bytes are 128 cells
      multiply_add(o_, p_[k], values + k * 128);
    }
    wgmma_commit();
  }

  // To device memory. The four lanes of a row exchange 16-byte cells, so that they store 64 bytes.
  __device__ __forceinline__ void store(__half* O) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float factor = 1.0f / row_sum(r);
      const int row = row_ + 8 * r, p = threadIdx.x % 4;
#pragma unroll
      for (int c = 0; c < DIM / 32; ++c) {
        uint32_t cell[4];  // its own two columns of four cells; then one cell
#pragma unroll
        for (int n = 0; n < 4; ++n) {
          const int i = 4 * (4 * c + n) + 2 * r;
          cell[n] = pair(factor * o_[i], factor * o_[i + 1]);
        }
        transpose(cell);
        if (row >= length_) continue;
        *reinterpret_cast<uint4*>(O + static_cast<size_t>(row) * DIM + 32 * c + 8 * p) =
            make_uint4(cell[0], cell[1], cell[2], cell[3]);
      }
    }
  }

  // To shared memory: lane l names row l % 8 of matrix l / 8, of 16 rows and 16 columns at a time.
  __device__ __forceinline__ void store(Tile<DIM, 64>& tile) {
    const float factor[2] = {1.0f / row_sum(0), 1.0f / row_sum(1)};
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 % 4 * 16 + lane % 16;
#pragma unroll
    for (int c = 0; c < DIM / 16; ++c) {
      uint32_t matrix[4];
#pragma unroll
      for (int m = 0; m < 4; ++m) {
        matrix[m] = pair(factor[m % 2] * o_[8 * c + 2 * m], factor[m % 2] * o_[8 * c + 2 * m + 1]);
      }
      const int cell = (2 * c % 8 + lane / 16) ^ row % 8;
      store_matrices(&tile.panels[c / 4][row][8 * cell], matrix[0], matrix[1], matrix[2],
                     matrix[3]);
    }
  }

 private:
  __device__ float row_sum(int r) const {
    float sum = sum_[r];
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    return sum + __shfl_xor_sync(0xffffffffu, sum, 2);
  }
  // Value i of lane p of four becomes value p of lane i.
  __device__ static void transpose(uint32_t (&value)[4]) {
#pragma unroll
    for (int step = 1; step < 4; step *= 2) {
      const bool upper = threadIdx.x & step;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (i & step) continue;
        const uint32_t mine = upper ? value[i] : value[i + step];
        const uint32_t other = __shfl_xor_sync(0xffffffffu, mine, step);
        (upper ? value[i] : value[i + step]) = other;
      }
    }
  }
  __device__ static uint32_t pair(float low, float high) {
    const __half2 halves = __floats2half2_rn(low, high);
    return *reinterpret_cast<const uint32_t*>(&halves);
  }

  int row_, length_;  // the first of the thread's two rows
  bool causal_;
  float score_[KEYS / 2];  // value i: row_ + 8 (i / 2 % 2), key 8 (i / 4) + 2 (lane % 4) + i % 2
  uint32_t p_[KEYS / 16][4];
  float o_[DIM / 2] = {};
  float max_[2], sum_[2] = {}, rescale_[2];
};
