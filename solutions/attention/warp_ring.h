#pragma once
// The ring of tiles of rung 8, and what a warp does with a tile.
//
// Eight warps have 8 rows of queries per thread. D / 8 lanes share a row: of a tile's 64 keys each
// has 64 / (D / 8), and 8 of the D columns of the output, so that a warp exchanges the weights of
// its rows without other warps. Keys and values alternate in the ring: use 2 n of a slot is keys of
// tile n, use 2 n + 1 its values.

#include <kata/kata.h>
#include <math_constants.h>

#include "../common/load4.h"
#include "merge_parts.h"
#include "tile_slots.h"

constexpr int TM = 8, WARPS = 8;
constexpr int THREADS = 32 * WARPS + 128;  // and a warpgroup that copies

template <int D_>
struct Ring : TileSlots<D_,
                        D_ == 64    ? 4
                        : D_ == 128 ? 3
                                    : 2,
                        WARPS> {
  using Slots = TileSlots<D_, D_ == 64 ? 4 : D_ == 128 ? 3 : 2, WARPS>;
  using Slots::PITCH;
  static constexpr int D = D_, TX = D / 8, TY = 32 * WARPS / TX, BM = TM * TY, TN = BN / TX;
  static constexpr int PITCH_P = BN + TX % 32;

  float queries[BM][PITCH], weights[BM][PITCH_P];

  // Barriers, the queries times `factor`, and zeros where no copy will write.
  __device__ void start(const float* Q, int row0, int M, int d, float factor) {
    Slots::start(d);
    for (int i = threadIdx.x; i < BM * D; i += THREADS) {
      const int row = row0 + i / D, col = i % D;
      const bool in_bounds = row < M && col < d;
      queries[i / D][col] = in_bounds ? factor * Q[static_cast<size_t>(row) * d + col] : 0.0f;
    }
    __syncthreads();
  }
};

// A thread's part of TM queries: columns 4 tx to 4 tx + 3 of each half of the output.
template <int D>
class WarpRows {
  using R = Ring<D>;

 public:
  __device__ explicit WarpRows(Ring<D>& ring) : ring_(ring) {
#pragma unroll
    for (int i = 0; i < TM; ++i) max_[i] = -CUDART_INF_F;
  }

  // score = q . k for keys tx + TX j.
  __device__ void multiply_keys(const float (*keys)[R::PITCH], int d) {
#pragma unroll
    for (int i = 0; i < TM; ++i) {
#pragma unroll
      for (int j = 0; j < R::TN; ++j) score_[i][j] = 0.0f;
    }
#pragma unroll 1  // two steps at once take 5 % longer
    for (int c = 0; c < d; c += 4) {
      Vec4 q[TM];
#pragma unroll
      for (int i = 0; i < TM; ++i) q[i] = load4(&ring_.queries[row(i)][c]);
#pragma unroll
      for (int j = 0; j < R::TN; ++j) {
        const Vec4 k = load4(&keys[tx_ + R::TX * j][c]);
#pragma unroll
        for (int e = 0; e < 4; ++e) {
#pragma unroll
          for (int i = 0; i < TM; ++i) score_[i][j] += q[i].at[e] * k.at[e];
        }
      }
    }
  }

  // The online rule. Leaves exp2(score - max) in the ring's weights; only the first `count` keys
  // exist. The output is rescaled only if a row of the warp has a new maximum.
  __device__ void exponentiate(int count) {
    float old_max[TM];
    bool grows = false;
#pragma unroll
    for (int i = 0; i < TM; ++i) {
      float max = old_max[i] = max_[i];
#pragma unroll
      for (int j = 0; j < R::TN; ++j) {
        if (tx_ + R::TX * j >= count) score_[i][j] = -CUDART_INF_F;
        max = fmaxf(max, score_[i][j]);
      }
#pragma unroll
      for (int lanes = 1; lanes < R::TX; lanes *= 2) {
        max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, lanes));
      }
      max_[i] = max;
      grows = grows || max > old_max[i];
    }
    if (__any_sync(0xffffffffu, grows)) {
#pragma unroll
      for (int i = 0; i < TM; ++i) {
        const float rescale = exp2_approx(old_max[i] - max_[i]);
        sum_[i] *= rescale;
#pragma unroll
        for (int c = 0; c < 8; ++c) o_[i][c] *= rescale;
      }
    }
#pragma unroll
    for (int i = 0; i < TM; ++i) {
#pragma unroll
      for (int j = 0; j < R::TN; ++j) {
        const float weight = exp2_approx(score_[i][j] - max_[i]);
        sum_[i] += weight;
        ring_.weights[row(i)][tx_ + R::TX * j] = weight;
      }
    }
    __syncwarp();
  }

  __device__ void add_values(const float (*values)[R::PITCH]) {
#pragma unroll 1  // two steps at once take 5 % longer
    for (int key = 0; key < BN; key += 4) {
      Vec4 p[TM];
#pragma unroll
      for (int i = 0; i < TM; ++i) p[i] = load4(&ring_.weights[row(i)][key]);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
#pragma unroll
        for (int g = 0; g < 2; ++g) {
          const Vec4 v = load4(&values[key + e][4 * tx_ + D / 2 * g]);
#pragma unroll
          for (int i = 0; i < TM; ++i) {
#pragma unroll
            for (int c = 0; c < 4; ++c) o_[i][4 * g + c] += p[i].at[e] * v.at[c];
          }
        }
      }
    }
    __syncwarp();  // the next weights
  }

  __device__ void store(const Parts& parts, int row0, int M, int d) const {
    const size_t first = static_cast<size_t>(blockIdx.y) * M + row0;
#pragma unroll
    for (int i = 0; i < TM; ++i) {
      float sum = sum_[i];
#pragma unroll
      for (int lanes = 1; lanes < R::TX; lanes *= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
      }
      if (row0 + row(i) >= M) continue;
      if (tx_ == 0) {
        parts.max[first + row(i)] = 0.69314718f * max_[i];  // of exp, not of exp2
        parts.sum[first + row(i)] = sum;
      }
#pragma unroll
      for (int c = 0; c < 8; ++c) {
        const int col = c / 4 * (D / 2) + 4 * tx_ + c % 4;
        if (col < d) parts.o[(first + row(i)) * d + col] = o_[i][c];
      }
    }
  }

 private:
  __device__ int row(int i) const {
    return threadIdx.x / R::TX + R::TY * i;
  }

  Ring<D>& ring_;
  const int tx_ = threadIdx.x % R::TX;
  float max_[TM], sum_[TM] = {}, o_[TM][8] = {};
  float score_[TM][R::TN];
};
