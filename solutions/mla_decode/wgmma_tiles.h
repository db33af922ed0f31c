#pragma once
// Tiles of 64 rows for wgmma, and the softmax of 64 heads and 64 keys by a warpgroup: rungs 5 and
// later.

#include "../common/hopper.h"
#include "parts.h"
#include "products.h"

constexpr int HEADS = 64, KEYS = 64, WARPGROUP = 128;
constexpr int HALF = LATENT / 2;  // columns of the output that a warpgroup has

// Queries or keys, in panels of 64 columns: each row 128 bytes, swizzled by the TMA unit.
struct Tile {
  static constexpr int PANEL_BYTES = 64 * 128;
  __nv_bfloat16 panels[ROW / 64][64][64];

  // As an operand with K along its rows; from panel `first` on.
  __device__ uint64_t descriptor(int first = 0) const {
    return tile_descriptor(panels[first], PANEL_BYTES);
  }
  // 16 columns are 2 cells of 16 bytes of a panel.
  __device__ static int columns(int k) { return k / 4 * (PANEL_BYTES / 16) + k % 4 * 2; }

  // 64 rows from `row` on, one arrival. Rows past the end of the tensor are zeros.
  __device__ void load(const CUtensorMap& map, int row, Barrier* barrier) {
    arrive_expecting(barrier, sizeof(Tile));
    for (int p = 0; p < ROW / 64; ++p) load_box(panels[p], map, row, 64 * p, barrier);
  }

  // Zeros instead of the rows from `count` on, which may hold NaN: 0 times NaN is NaN. By
  // warpgroups that then meet at a barrier.
  __device__ void clear_from(int count, int threads) {
    constexpr int WORDS = 32;
    for (int i = threadIdx.x; i < (64 - count) * WORDS * (ROW / 64); i += threads) {
      const int row = count + i / WORDS % (64 - count);
      __nv_bfloat16* to = &panels[i / WORDS / (64 - count)][row][i % WORDS * 2];
      *reinterpret_cast<uint32_t*>(to) = 0;
    }
    fence_async();
  }
};

// Row `row` of a matrix of queries, or of all caches.
inline CUtensorMap row_map(const __nv_bfloat16* x, int rows) {
  return tensor_map(x, rows, ROW, ROW, 64);
}

// Before a wgmma_fence: the registers that wgmma reads are computed before it. The compiler moves
// arithmetic across a fence that does not name them, and then has to add another one.
template <int N>
__device__ __forceinline__ void settle(float (&x)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) asm volatile("" : "+f"(x[i])::"memory");
}
__device__ __forceinline__ void settle(uint32_t (&x)[4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) asm volatile("" : "+r"(x[i])::"memory");
}

__device__ inline float exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// The online softmax of a thread's two rows, 8 apart; four threads share a row.
struct Softmax {
  float max[2], sum[2] = {}, rescale[2];  // max of the scores as they are, without scale

  __device__ Softmax() { max[0] = max[1] = -CUDART_INF_F; }

  // Scores of `count` keys, at least one, become weights, and those of the others 0.
  __device__ __forceinline__ void weigh(float (&score)[KEYS / 2], int count, float factor) {
    if (count < KEYS) mask(score, count);
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float new_max = max[r];
#pragma unroll
      for (int i = 2 * r; i < KEYS / 2; i += 4) {
        new_max = fmaxf(new_max, fmaxf(score[i], score[i + 1]));
      }
      new_max = fmaxf(new_max, __shfl_xor_sync(0xffffffffu, new_max, 1));
      new_max = fmaxf(new_max, __shfl_xor_sync(0xffffffffu, new_max, 2));
      rescale[r] = exp2_approx(factor * (max[r] - new_max));
      max[r] = new_max;
      const float scaled_max = factor * new_max;
      float tile_sum = 0.0f;
#pragma unroll
      for (int i = 2 * r; i < KEYS / 2; i += 4) {
        score[i] = exp2_approx(fmaf(factor, score[i], -scaled_max));
        score[i + 1] = exp2_approx(fmaf(factor, score[i + 1], -scaled_max));
        tile_sum += score[i] + score[i + 1];
      }
      sum[r] = sum[r] * rescale[r] + tile_sum;
    }
  }

  __device__ __forceinline__ float row_sum(int r) const {
    const float two = sum[r] + __shfl_xor_sync(0xffffffffu, sum[r], 1);
    return two + __shfl_xor_sync(0xffffffffu, two, 2);
  }

 private:
  __device__ static __forceinline__ void mask(float (&score)[KEYS / 2], int count) {
#pragma unroll
    for (int i = 0; i < KEYS / 2; ++i) {
      if (i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2 >= count) score[i] = -CUDART_INF_F;
    }
  }
};

// Register r of the weights of keys 16 k to 16 k + 15, as the A operand.
__device__ __forceinline__ uint32_t weight_pair(const float (&score)[KEYS / 2], int k, int r) {
  const __nv_bfloat162 pair =
      __floats2bfloat162_rn(score[8 * k + 2 * r], score[8 * k + 2 * r + 1]);
  return *reinterpret_cast<const uint32_t*>(&pair);
}

// The sums so far, to a new maximum, which is seldom there.
__device__ __forceinline__ void rescale_rows(float (&o)[HALF / 2], float first, float second) {
  if (!__any_sync(0xffffffffu, first != 1.0f || second != 1.0f)) return;
#pragma unroll
  for (int i = 0; i < HALF / 2; ++i) o[i] *= i / 2 % 2 == 0 ? first : second;
}

// Row r of the thread's two among the warpgroup's 64.
__device__ __forceinline__ int row_of(int r) {
  return threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4 + 8 * r;
}

// Row r of the thread's two of half an output.
__device__ __forceinline__ void store_row(const Parts& parts, const Latents& x, const Share& share,
                                          int half, int r, float max, float sum,
                                          const float (&o)[HALF / 2]) {
  const int head = share.head0 + row_of(r);
  if (head >= x.heads) return;
  const size_t row = static_cast<size_t>(share.sequence) * x.heads + head;
#pragma unroll
  for (int i = 0; i < HALF / 8; ++i) {
    parts.put(row, share.part, half * HALF + 8 * i + threadIdx.x % 4 * 2, max, sum,
              make_float2(o[4 * i + 2 * r], o[4 * i + 2 * r + 1]));
  }
}
