#pragma once
// Few assignments by one kernel, which counts instead of sorting: rung 6, and later ones for few.

#include "counting_sort.h"
#include "push_rows.h"

constexpr int MOST_COUNTED = 4096;  // assignments

// The number of assignments that precede assignment a. The whole warp calls it.
__device__ inline int place_of(const int* expert, int assignments, int a) {
  const int own = expert[a];
  int before = 0;
  for (int b = threadIdx.x % 32; b < assignments; b += 32) {
    before += expert[b] < own || (expert[b] == own && b < a);
  }
  return __reduce_add_sync(0xffffffffu, before);
}

// offsets[e] for all experts, by one block.
__device__ inline void write_offsets(const int* expert, int* offsets, int assignments, int experts) {
  __shared__ int counts[MOST_EXPERTS];
  for (int e = threadIdx.x; e < experts; e += PUSH_THREADS) counts[e] = 0;
  __syncthreads();
  for (int a = threadIdx.x; a < assignments; a += PUSH_THREADS) atomicAdd(&counts[expert[a]], 1);
  __syncthreads();
  int carry = 0;
  for (int first = 0; first <= experts; first += PUSH_THREADS) {
    const int e = first + threadIdx.x;
    int total;
    const int before = block_exclusive_scan<PUSH_THREADS>(e < experts ? counts[e] : 0, total);
    if (e <= experts) offsets[e] = carry + before;
    carry += total;
  }
}

template <int WIDTH>
__global__ void __launch_bounds__(PUSH_THREADS)
    permute_kernel(const __nv_bfloat16* x, const int* expert, __nv_bfloat16* y, int* offsets,
                   int* position, int dim, int assignments, int experts, int k) {
  __shared__ int places[MOST_K];
  const int token = blockIdx.x;
  if (token == assignments / k) return write_offsets(expert, offsets, assignments, experts);
  for (int j = threadIdx.x / 32; j < k; j += PUSH_THREADS / 32) {
    const int place = place_of(expert, assignments, token * k + j);
    if (threadIdx.x % 32 == 0) places[j] = position[token * k + j] = place;
  }
  __syncthreads();
  push_row<WIDTH>(x + static_cast<size_t>(token) * dim, places, y, dim, k);
}

// False if there are too many assignments.
inline bool permute_few(const __nv_bfloat16* x, const int* expert, __nv_bfloat16* y, int* offsets,
                        int* position, int tokens, int dim, int experts, int k) {
  const int assignments = tokens * k;
  if (assignments > MOST_COUNTED) return false;
  const auto kernel = rows_are_aligned(x, y, dim) ? permute_kernel<8> : permute_kernel<1>;
  kernel<<<tokens + 1, PUSH_THREADS>>>(x, expert, y, offsets, position, dim, assignments, experts,
                                       k);
  return true;
}
