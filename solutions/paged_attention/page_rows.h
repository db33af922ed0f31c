#pragma once
// Rung 8's loop over keys: that of ../decode_attention/tensor_rows.h, which explains the layout, but
// all 16 keys of a step are in one page, whose place is worked out once.

#include "../decode_attention/tensor_rows.h"
#include "pages.h"

// A lane holds the page number of one of the warp's next 32 steps, passed on by a shuffle: one step
// in 32 waits for the table.
template <int DIM>
class PageRows {
 public:
  // Queries of `count` heads, the first at `q`; the others are 0.
  __device__ PageRows(const __half* q, int count, const PagedCache& cache)
      : cache_(cache), pitch_(cache.kv_heads * DIM), scale_(cache.scale * 1.44269504f) {
#pragma unroll
    for (int j = 0; j < DIM / 32; ++j) {
      const uint4 low = load8(q + g_ * DIM + 32 * j + 8 * p_, g_ < count);
      const uint4 high = load8(q + (g_ + 8) * DIM + 32 * j + 8 * p_, g_ + 8 < count);
      set(query_[2 * j], low.x, high.x, low.y, high.y);
      set(query_[2 * j + 1], low.z, high.z, low.w, high.w);
    }
  }

  // The warp's share of keys [begin, end), from a multiple of 16 on: 16 of every STEP.
  template <int STEP = KEYS>
  __device__ Rows<DIM> attend(int sequence, int kv_head, int begin, int end) {
    Rows<DIM> rows = {{-CUDART_INF_F, -CUDART_INF_F}, {}, {}};
    begin += threadIdx.x / 32 * WARP_KEYS;
    int numbers = load_numbers<STEP>(sequence, begin, end);
    const size_t from = place(numbers, 0, begin, kv_head);
    load_keys(from, end - begin);
    load_values(from, end - begin);
    int step = 0;
    for (int first = begin; first < end; first += STEP) {
      ++step;
      if (step % 32 == 0) numbers = load_numbers<STEP>(sequence, first + STEP, end);
      const size_t next = place(numbers, step % 32, first + STEP, kv_head);
      float score[2][4] = {};
      multiply_keys(score);
      load_keys(next, end - first - STEP);
      unsigned weights[4];
      add_scores(rows, score, weights, end - first, scale_);
      multiply_values(rows, weights);
      load_values(next, end - first - STEP);
    }
    return rows;
  }

 private:
  __device__ static void set(unsigned (&a)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3) {
    a[0] = a0, a[1] = a1, a[2] = a2, a[3] = a3;
  }

  // Lane l has the page of the l-th step from `begin` on. Entries past the end are not read.
  template <int STEP>
  __device__ int load_numbers(int sequence, int begin, int end) const {
    const int key = begin + static_cast<int>(threadIdx.x % 32) * STEP;
    const size_t row = static_cast<size_t>(sequence) * cache_.max_pages;
    return key < end ? cache_.page_table[row + (key >> cache_.page_bits)] : 0;
  }
  // Where the 16 keys from `key` on begin; all lanes call it.
  __device__ size_t place(int numbers, int step, int key, int kv_head) const {
    return cache_.in_page(__shfl_sync(0xffffffffu, numbers, step), key, kv_head, DIM);
  }

  // Of the 16 keys at `from`, the first `count` exist. The others are zeros, never NaN.
  __device__ void load_keys(size_t from, int count) {
    const __half* k = cache_.k + from + g_ * pitch_ + 8 * p_;
#pragma unroll
    for (int t = 0; t < 2; ++t) {
#pragma unroll
      for (int j = 0; j < DIM / 32; ++j) {
        key_[t][j] = load8(k + 8 * t * pitch_ + 32 * j, 8 * t + g_ < count);
      }
    }
  }
  __device__ void load_values(size_t from, int count) {
    const __half* v = cache_.v + from + 2 * p_ * pitch_ + 8 * g_;
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      const int key = t % 2 + t / 2 * 8;
#pragma unroll
      for (int j = 0; j < DIM / 64; ++j) {
        value_[t][j] = load8(v + key * pitch_ + 64 * j, 2 * p_ + key < count);
      }
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
  const PagedCache& cache_;
  const int pitch_;  // elements from key to key
  const float scale_;
  unsigned query_[DIM / 16][4];
  uint4 key_[2][DIM / 32], value_[4][DIM / 64];
};
