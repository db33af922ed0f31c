#pragma once
// Attention of 64 queries by four warps on mma.sync, for rungs 3 to 6: the layout of
// FlashAttention-2 (Tri Dao, 2023).
//
// A warp owns 16 queries and takes all keys, 64 at a time, so that no row is shared between warps.
// Of the fragments (../common/tensor_core.h) lane 4 g + p holds rows g and g + 8. The scores that
// Q K^T leaves in a lane's registers are, converted in pairs, the A operand of P V: nothing passes
// through shared memory, and a row's maximum takes two shuffles.

#include <kata/kata.h>
#include <math_constants.h>

#include "../common/tensor_core.h"

constexpr int BM = 64, BN = 64, THREADS = 128;

// A tile of BN keys or values, as cells of 16 bytes.
template <int DIM, bool SWIZZLE>
struct Tile {
  static constexpr int CELLS = DIM / 8, PITCH = SWIZZLE ? CELLS : CELLS + 1;
  uint4 cells[BN * PITCH];

  // ldmatrix reads the same cell of eight rows. Padding by a cell, or XOR with the row's number,
  // puts these into different banks.
  __device__ static int place(int row, int cell) {
    return row * PITCH + (SWIZZLE ? cell ^ row % 8 : cell);
  }
};

// Calls copy(destination, source, exists) for this thread's cells of rows first ... of x[length,
// DIM]. Rows past the end must become zeros.
template <int DIM, bool SWIZZLE, class Copy>
__device__ __forceinline__ void for_each_cell(Tile<DIM, SWIZZLE>& tile, const __half* x, int first,
                                              int length, const Copy& copy) {
  using T = Tile<DIM, SWIZZLE>;
#pragma unroll
  for (int i = threadIdx.x; i < BN * T::CELLS; i += THREADS) {
    const int row = i / T::CELLS, cell = i % T::CELLS;
    const bool exists = first + row < length;
    const __half* from = x + (exists ? static_cast<size_t>(first + row) * DIM + cell * 8 : 0);
    copy(&tile.cells[T::place(row, cell)], reinterpret_cast<const uint4*>(from), exists);
  }
}

__device__ inline float exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

template <int DIM>
class MmaRows {
 public:
  // The warp's queries of the 64 from row0 on; rows past the end are zeros.
  __device__ MmaRows(const __half* Q, int row0, int length)
      : row_(row0 + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4), length_(length) {
    max_[0] = max_[1] = -CUDART_INF_F;  // in the body: nvcc gives initializers to g++ as well
#pragma unroll
    for (int k = 0; k < DIM / 16; ++k) {
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = row_ + 8 * (r % 2), col = 16 * k + 8 * (r / 2) + 2 * (threadIdx.x % 4);
        const __half* from = Q + static_cast<size_t>(row) * DIM + col;
        query_[k][r] = row < length ? *reinterpret_cast<const unsigned*>(from) : 0;
      }
    }
  }

  template <bool SWIZZLE>
  __device__ __forceinline__ void multiply_keys(const Tile<DIM, SWIZZLE>& keys) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int n = 0; n < BN / 8; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) score_[n][i] = 0.0f;
    }
#pragma unroll
    for (int k = 0; k < DIM / 16; ++k) {
#pragma unroll
      for (int n = 0; n < BN / 16; ++n) {
        unsigned b[4];
        ldmatrix_x4(b, &keys.cells[keys.place(16 * n + lane / 16 * 8 + lane % 8,
                                              2 * k + lane / 8 % 2)]);
        multiply_add<__half>(score_[2 * n], query_[k], b[0], b[1]);
        multiply_add<__half>(score_[2 * n + 1], query_[k], b[2], b[3]);
      }
    }
  }

  // Keys `first` to `first` + 63: past the end, and right of the diagonal, they get -infinity.
  __device__ __forceinline__ void mask(int first, bool causal) {
    if (first + BN <= length_ && !(causal && first + BN - 1 > row_)) return;
#pragma unroll
    for (int n = 0; n < BN / 8; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int key = first + 8 * n + 2 * (threadIdx.x % 4) + i % 2;
        if (key >= length_ || (causal && key > row_ + 8 * (i / 2))) score_[n][i] = -CUDART_INF_F;
      }
    }
  }

  // The online softmax. The first tile must have a visible key for each row: key 0 is one. FOLDED:
  // exp(scale (s - max)) as one multiply-add and one ex2.
  template <bool FOLDED>
  __device__ __forceinline__ void add_scores(float scale) {
    const float factor = scale * 1.44269504f;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float max = max_[r];
#pragma unroll
      for (int n = 0; n < BN / 8; ++n) {
        max = fmaxf(max, fmaxf(score_[n][2 * r], score_[n][2 * r + 1]));
      }
      max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, 1));
      max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, 2));
      const float rescale = exp2_approx(factor * (max_[r] - max));
      max_[r] = max;
      sum_[r] *= rescale;
#pragma unroll
      for (int n = 0; n < DIM / 8; ++n) {
        o_[n][2 * r] *= rescale;
        o_[n][2 * r + 1] *= rescale;
      }
      const float scaled_max = factor * max;
#pragma unroll
      for (int n = 0; n < BN / 8; ++n) {
#pragma unroll
        for (int i = 2 * r; i < 2 * r + 2; ++i) {
          score_[n][i] = FOLDED ? exp2_approx(fmaf(factor, score_[n][i], -scaled_max))
                                : expf(scale * score_[n][i] - scale * max);
          sum_[r] += score_[n][i];
        }
      }
    }
  }

  template <bool SWIZZLE>
  __device__ __forceinline__ void multiply_values(const Tile<DIM, SWIZZLE>& values) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < BN / 16; ++k) {
      unsigned a[4];
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const float* s = score_[2 * k + r / 2];
        const __half2 pair = __floats2half2_rn(s[r % 2 * 2], s[r % 2 * 2 + 1]);
        a[r] = *reinterpret_cast<const unsigned*>(&pair);
      }
#pragma unroll
      for (int n = 0; n < DIM / 16; ++n) {
        unsigned b[4];
        ldmatrix_x4_trans(b, &values.cells[values.place(16 * k + lane % 16, 2 * n + lane / 16)]);
        multiply_add<__half>(o_[2 * n], a, b[0], b[1]);
        multiply_add<__half>(o_[2 * n + 1], a, b[2], b[3]);
      }
    }
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
#pragma unroll
      for (int n = 0; n < DIM / 8; ++n) {
        const __half2 pair =
            __floats2half2_rn(factor * o_[n][2 * r], factor * o_[n][2 * r + 1]);
        if (row < length_) *reinterpret_cast<__half2*>(to + 8 * n) = pair;
      }
    }
  }

 private:
  const int row_, length_;  // the first of the lane's two rows
  unsigned query_[DIM / 16][4];
  float score_[BN / 8][4];
  float o_[DIM / 8][4] = {};
  float max_[2], sum_[2] = {};
};
