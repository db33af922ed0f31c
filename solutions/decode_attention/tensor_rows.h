#pragma once
// Attention of up to 16 heads of one group on tensor cores, by a block of 4 warps: rungs 5 to 7. Rung 8
// has blocks of 8.
//
// The heads are the rows of mma.m16n8k16; a warp takes 16 keys at a time. Nothing passes through
// shared memory, since the order of k, and of the columns of the result, is free:
//   Q K^T  k is the element of a head. Lane 4 g + p loads 16 bytes of key g and of key 8 + g, elements
//          32 j + 8 p to 32 j + 8 p + 7, and the queries are loaded in the same order.
//   P V    k is the key. The scores in a lane's registers are the A operand as they are. Lane 4 g + p
//          loads elements 64 j + 8 g to 64 j + 8 g + 7 of keys 2 p, 2 p + 1, 2 p + 8 and 2 p + 9, and
//          pairs the halves of two keys: column n of the product 8 j + t is element 64 j + 8 n + t.

#include "../common/tensor_core.h"
#include "cache.h"

constexpr int WARPS = 4, THREADS = 32 * WARPS;
constexpr int ROWS = 16;      // heads
constexpr int WARP_KEYS = 16;
constexpr int KEYS = WARPS * WARP_KEYS;  // of a block

// A lane's part: rows g and g + 8, in units of exp2(max). The scores are scaled by log2 e.
template <int DIM>
struct Rows {
  float max[2], sum[2], o[DIM / 8][4];

  // Which element of a head is column `col` of product n.
  __device__ static int element(int n, int col) { return n / 8 * 64 + 8 * col + n % 8; }
};

__device__ inline uint4 load8(const __half* from, bool exists) {
  return exists ? *reinterpret_cast<const uint4*>(from) : uint4();
}

// The online softmax. Value i of score[t] is row g + 8 (i / 2), key 8 t + 2 p + i % 2; the first
// `count` keys exist, at least one. `scale` has log2 e in it.
template <int DIM>
__device__ void add_scores(Rows<DIM>& rows, float (&score)[2][4], unsigned (&weights)[4], int count,
                         float scale) {
  const int p = threadIdx.x % 4;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    float max = rows.max[r];
#pragma unroll
    for (int t = 0; t < 2; ++t) {
#pragma unroll
      for (int i = 2 * r; i < 2 * r + 2; ++i) {
        const bool exists = 8 * t + 2 * p + i % 2 < count;
        score[t][i] = exists ? scale * score[t][i] : -CUDART_INF_F;
        max = fmaxf(max, score[t][i]);
      }
    }
    max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, 1));
    max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, 2));
    const float rescale = exp2f(rows.max[r] - max);
    rows.max[r] = max;
    rows.sum[r] *= rescale;
#pragma unroll
    for (int n = 0; n < DIM / 8; ++n) {
      rows.o[n][2 * r] *= rescale;
      rows.o[n][2 * r + 1] *= rescale;
    }
#pragma unroll
    for (int t = 0; t < 2; ++t) {
      const float low = exp2f(score[t][2 * r] - max), high = exp2f(score[t][2 * r + 1] - max);
      rows.sum[r] += low + high;
      const __half2 pair = __floats2half2_rn(low, high);
      weights[2 * t + r] = *reinterpret_cast<const unsigned*>(&pair);
    }
  }
}

template <int DIM, class KvCache = Cache>
class TensorRows {
 public:
  // Queries of `count` heads, the first at `q`; the others are 0.
  __device__ TensorRows(const __half* q, int count, const KvCache& cache)
      : cache_(cache), scale_(cache.scale * 1.44269504f) {
#pragma unroll
    for (int j = 0; j < DIM / 32; ++j) {
      const uint4 low = load8(q + g_ * DIM + 32 * j + 8 * p_, g_ < count);
      const uint4 high = load8(q + (g_ + 8) * DIM + 32 * j + 8 * p_, g_ + 8 < count);
      set(query_[2 * j], low.x, high.x, low.y, high.y);
      set(query_[2 * j + 1], low.z, high.z, low.w, high.w);
    }
  }

  // The warp's share of keys [begin, end): 16 of every STEP. The loads of the next keys and values are
  // on their way as soon as the registers are free.
  template <int STEP = KEYS>
  __device__ Rows<DIM> attend(int sequence, int kv_head, int begin, int end) {
    Rows<DIM> rows = {{-CUDART_INF_F, -CUDART_INF_F}, {}, {}};
    begin += threadIdx.x / 32 * WARP_KEYS;
    load_keys(sequence, kv_head, begin, end);
    load_values(sequence, kv_head, begin, end);
    for (int first = begin; first < end; first += STEP) {
      float score[2][4] = {};
      multiply_keys(score);
      load_keys(sequence, kv_head, first + STEP, end);
      unsigned weights[4];
      add_scores(rows, score, weights, end - first, scale_);
      multiply_values(rows, weights);
      load_values(sequence, kv_head, first + STEP, end);
    }
    return rows;
  }

 private:
  __device__ static void set(unsigned (&a)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3) {
    a[0] = a0, a[1] = a1, a[2] = a2, a[3] = a3;
  }

  // Keys past the end are zeros, in particular never NaN.
  __device__ void load_keys(int sequence, int kv_head, int first, int end) {
#pragma unroll
    for (int t = 0; t < 2; ++t) {
      const int key = first + 8 * t + g_;
      const __half* from = cache_.k + cache_.at(sequence, key, kv_head, DIM) + 8 * p_;
#pragma unroll
      for (int j = 0; j < DIM / 32; ++j) key_[t][j] = load8(from + 32 * j, key < end);
    }
  }
  __device__ void load_values(int sequence, int kv_head, int first, int end) {
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      const int key = first + 2 * p_ + t % 2 + t / 2 * 8;
      const __half* from = cache_.v + cache_.at(sequence, key, kv_head, DIM) + 8 * g_;
#pragma unroll
      for (int j = 0; j < DIM / 64; ++j) value_[t][j] = load8(from + 64 * j, key < end);
    }
  }

  __device__ void multiply_keys(float (&score)[2][4]) const {
#pragma unroll
    for (int t = 0; t < 2; ++t) {
#pragma unroll
      for (int j = 0; j < DIM / 32; ++j) {
        multiply_add<__half>(score[t], query_[2 * j], key_[t][j].x, key_[t][j].y);
        multiply_add<__half>(score[t], query_[2 * j + 1], key_[t][j].z, key_[t][j].w);
      }
    }
  }

  // Element t of eight halves of two keys, as a pair.
  __device__ static unsigned pair(const uint4& first, const uint4& second, int t) {
    const unsigned a = t / 2 == 0 ? first.x : t / 2 == 1 ? first.y : t / 2 == 2 ? first.z : first.w;
    const unsigned b =
        t / 2 == 0 ? second.x : t / 2 == 1 ? second.y : t / 2 == 2 ? second.z : second.w;
    return __byte_perm(a, b, t % 2 == 0 ? 0x5410 : 0x7632);
  }
  __device__ void multiply_values(Rows<DIM>& rows, const unsigned (&weights)[4]) const {
#pragma unroll
    for (int j = 0; j < DIM / 64; ++j) {
#pragma unroll
      for (int t = 0; t < 8; ++t) {
        multiply_add<__half>(rows.o[8 * j + t], weights, pair(value_[0][j], value_[1][j], t),
                             pair(value_[2][j], value_[3][j], t));
      }
    }
  }

  const int g_ = threadIdx.x % 32 / 4, p_ = threadIdx.x % 4;
  const KvCache& cache_;
  const float scale_;
  unsigned query_[DIM / 16][4];
  uint4 key_[2][DIM / 32], value_[4][DIM / 64];
};

// Merges the warps of the block; `merged` is shared memory. Calls store(head, element, max, sum, o)
// for each of the DIM elements of `count` heads; sum and o are in units of exp(max).
template <int DIM, int BLOCK_WARPS = WARPS>
struct Merged {
  float max[BLOCK_WARPS][ROWS], sum[BLOCK_WARPS][ROWS];
  float o[BLOCK_WARPS][ROWS][DIM + DIM / 4 + 1];  // padded against bank conflicts

  __device__ float& at(int warp, int row, int element) {
    return o[warp][row][element + element / 32 * 8];
  }
};

template <int DIM, int BLOCK_WARPS, class Rows, class Store>
__device__ void merge_warps(Merged<DIM, BLOCK_WARPS>& merged, const Rows& rows, int count,
                            const Store& store) {
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, p = threadIdx.x % 4;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const float sum = warp_sum_all(rows.sum[r], 4);
    if (p == 0) {
      merged.max[warp][g + 8 * r] = rows.max[r];
      merged.sum[warp][g + 8 * r] = sum;
    }
#pragma unroll
    for (int n = 0; n < DIM / 8; ++n) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        merged.at(warp, g + 8 * r, rows.element(n, 2 * p + i)) = rows.o[n][2 * r + i];
      }
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < count * DIM; i += 32 * BLOCK_WARPS) {
    const int head = i / DIM, element = i % DIM;
    float max = -CUDART_INF_F;
    for (int w = 0; w < BLOCK_WARPS; ++w) max = fmaxf(max, merged.max[w][head]);
    float sum = 0.0f, o = 0.0f;
    for (int w = 0; w < BLOCK_WARPS; ++w) {
      if (merged.sum[w][head] == 0.0f) continue;  // a warp without keys
      const float weight = exp2f(merged.max[w][head] - max);
      sum += weight * merged.sum[w][head];
      o += weight * merged.at(w, head, element);
    }
    store(head, element, 0.69314718f * max, sum, o);
  }
}
