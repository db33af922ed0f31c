#pragma once
// Attention of 32 heads by a block of 8 warps on mma.sync, for rungs 3 and 4.
//
// Tiles of 64 rows lie in shared memory once, as 72 cells of 16 bytes that are swizzled: ldmatrix
// reads them as keys and, transposed, as values. Of Q K^T a warp has 16 heads and 16 keys, with all
// 576 steps of k; of P V all 32 heads and 64 columns. The maxima and the weights P pass through
// shared memory between the two. ../common/tensor_core.h has the layout of the fragments.

#include <cuda_pipeline_primitives.h>

#include "../common/tensor_core.h"
#include "latent.h"

constexpr int HEADS = 32, KEYS = 64, WARPS = 8, THREADS = 32 * WARPS;
constexpr int KEY_GROUPS = KEYS / 16;

struct Shared {
  uint4 queries[HEADS * CELLS], rows[KEYS * CELLS];
  uint4 weights[HEADS * KEYS / 8];
  float max[KEY_GROUPS][HEADS], sum[KEY_GROUPS][HEADS];
};
static_assert(sizeof(Shared) <= 113 * 1024, "two blocks on an SM");

// ldmatrix reads the same cell of eight rows: XOR with the row puts these into different banks.
__device__ inline int place(int row, int cell, int cells = CELLS) {
  return row * cells + (cell ^ row % 8);
}

// Starts to copy `rows` rows, of which `count` exist; the others become zeros, in particular never
// NaN.
__device__ inline void start_copy(uint4* to, const __nv_bfloat16* from, int rows, int count) {
  const uint4* cells = reinterpret_cast<const uint4*>(from);
  for (int i = threadIdx.x; i < rows * CELLS; i += THREADS) {
    const bool exists = i / CELLS < count;
    __pipeline_memcpy_async(&to[place(i / CELLS, i % CELLS)], &cells[exists ? i : 0], 16,
                            exists ? 0 : 16);
  }
}

class MmaHeads {
 public:
  __device__ MmaHeads(Shared& shared, const Latents& x, int sequence, int head0)
      : shared_(shared), x_(x), sequence_(sequence) {
    start_copy(shared.queries, x.query(sequence, head0), HEADS, x.heads - head0);
#pragma unroll
    for (int i = 0; i < 4; ++i) max_[i / 2][i % 2] = -CUDART_INF_F;
  }

  __device__ void attend(int begin, int end) {
    for (int first = begin; first < end; first += KEYS) {
      start_copy(shared_.rows, x_.row(sequence_, first), KEYS, end - first);
      __pipeline_commit();
      __pipeline_wait_prior(0);
      __syncthreads();
      float score[2][4] = {};
      multiply_keys(score);
      put_maxima(score, end - first);
      __syncthreads();
      put_weights(score);
      __syncthreads();
      multiply_values();
      __syncthreads();  // the next tile overwrites this one
    }
  }

  // Calls store(head, column, max, sum, pair) for pairs of columns; sum and pair are in units of
  // exp2(max).
  template <class Store>
  __device__ void finish(const Store& store) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float sum = sum_[r];
      sum += __shfl_xor_sync(0xffffffffu, sum, 1);
      sum += __shfl_xor_sync(0xffffffffu, sum, 2);
      if (p_ == 0) shared_.sum[group_][row(half_, r)] = sum;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int head = row(i / 2, i % 2);
      float sum = 0.0f;
      for (int group = 0; group < KEY_GROUPS; ++group) sum += shared_.sum[group][head];
#pragma unroll
      for (int n = 0; n < 8; ++n) {
        const float* pair = &o_[i / 2][n][2 * (i % 2)];
        store(head, 64 * warp_ + 8 * n + 2 * p_, max_[i / 2][i % 2], sum,
              make_float2(pair[0], pair[1]));
      }
    }
  }

 private:
  // Row r of the lane's two in 16 heads.
  __device__ int row(int half, int r) const { return 16 * half + 8 * r + lane_ / 4; }

  __device__ void multiply_keys(float (&score)[2][4]) const {
#pragma unroll 4
    for (int k = 0; k < ROW / 16; ++k) {
      unsigned a[4], b[4];
      ldmatrix_x4(a, &shared_.queries[place(16 * half_ + lane_ % 16, 2 * k + lane_ / 16)]);
      ldmatrix_x4(b, &shared_.rows[place(16 * group_ + lane_ / 16 * 8 + lane_ % 8,
                                         2 * k + lane_ / 8 % 2)]);
      multiply_add<__nv_bfloat16>(score[0], a, b[0], b[1]);
      multiply_add<__nv_bfloat16>(score[1], a, b[2], b[3]);
    }
  }

  // The scores of keys past the end become -infinity.
  __device__ void put_maxima(float (&score)[2][4], int count) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float max = -CUDART_INF_F;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float& s = score[i / 2][2 * r + i % 2];
        const bool exists = 16 * group_ + i / 2 * 8 + 2 * p_ + i % 2 < count;
        s = exists ? x_.factor * s : -CUDART_INF_F;
        max = fmaxf(max, s);
      }
      max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, 1));
      max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, 2));
      if (p_ == 0) shared_.max[group_][row(half_, r)] = max;
    }
  }

  // All warps have the maxima of all heads, since each has columns of all outputs.
  __device__ void put_weights(const float (&score)[2][4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      float& max = max_[i / 2][i % 2];
      float new_max = max;
#pragma unroll
      for (int group = 0; group < KEY_GROUPS; ++group) {
        new_max = fmaxf(new_max, shared_.max[group][row(i / 2, i % 2)]);
      }
      const float rescale = exp2f(max - new_max);
      max = new_max;
      if (i / 2 == half_) sum_[i % 2] *= rescale;
#pragma unroll
      for (int n = 0; n < 8; ++n) {
        o_[i / 2][n][2 * (i % 2)] *= rescale;
        o_[i / 2][n][2 * (i % 2) + 1] *= rescale;
      }
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float max = half_ == 0 ? max_[0][r] : max_[1][r];
#pragma unroll
      for (int t = 0; t < 2; ++t) {
        const float low = exp2f(score[t][2 * r] - max), high = exp2f(score[t][2 * r + 1] - max);
        sum_[r] += low + high;
        uint4& cell = shared_.weights[place(row(half_, r), 2 * group_ + t, KEYS / 8)];
        reinterpret_cast<__nv_bfloat162*>(&cell)[p_] = __floats2bfloat162_rn(low, high);
      }
    }
  }

  __device__ void multiply_values() {
#pragma unroll
    for (int k = 0; k < KEYS / 16; ++k) {
      unsigned a[2][4];
#pragma unroll
      for (int m = 0; m < 2; ++m) {
        ldmatrix_x4(a[m],
                    &shared_.weights[place(16 * m + lane_ % 16, 2 * k + lane_ / 16, KEYS / 8)]);
      }
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        unsigned b[4];
        ldmatrix_x4_trans(
            b, &shared_.rows[place(16 * k + lane_ % 16, 8 * warp_ + 2 * n + lane_ / 16)]);
#pragma unroll
        for (int m = 0; m < 2; ++m) {
          multiply_add<__nv_bfloat16>(o_[m][2 * n], a[m], b[0], b[1]);
          multiply_add<__nv_bfloat16>(o_[m][2 * n + 1], a[m], b[2], b[3]);
        }
      }
    }
  }

  Shared& shared_;
  const Latents& x_;
  const int sequence_;
  const int warp_ = threadIdx.x / 32, lane_ = threadIdx.x % 32, p_ = threadIdx.x % 4;
  const int half_ = warp_ / KEY_GROUPS, group_ = warp_ % KEY_GROUPS;  // of Q K^T
  float max_[2][2];       // of the heads row(0, 0) to row(1, 1)
  float sum_[2] = {};     // of the heads row(half_, r), of the lane's keys
  float o_[2][8][4] = {};
};
