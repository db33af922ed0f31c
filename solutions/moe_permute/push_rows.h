#pragma once
// A token's row is loaded once and stored k times: rungs 4 to 6 and the library's file.

#include <cuda_bf16.h>

#include "../common/aligned.h"
#include "../common/pack.h"

constexpr int PUSH_THREADS = 128;
constexpr int MOST_K = 16;

// `places` are the rows of y for this token, k of them. WIDTH elements per access: 8 or 1. All
// threads of the block call it.
template <int WIDTH>
__device__ void push_row(const __nv_bfloat16* row, const int* places, __nv_bfloat16* y, int dim,
                         int k) {
  constexpr int LOADS = 4;
  constexpr int STEP = PUSH_THREADS * WIDTH;
  for (int first = threadIdx.x * WIDTH; first < dim; first += LOADS * STEP) {
    Pack<__nv_bfloat16, WIDTH> pack[LOADS];
#pragma unroll
    for (int u = 0; u < LOADS; ++u) {
      if (first + u * STEP < dim) pack[u] = load_pack_once<WIDTH>(row + first + u * STEP);
    }
    for (int j = 0; j < k; ++j) {
      __nv_bfloat16* out = y + static_cast<size_t>(places[j]) * dim + first;
#pragma unroll
      for (int u = 0; u < LOADS; ++u) {
        if (first + u * STEP < dim) store_pack<WIDTH>(out + u * STEP, pack[u]);
      }
    }
  }
}

template <int WIDTH>
__global__ void __launch_bounds__(PUSH_THREADS)
    push_kernel(const __nv_bfloat16* x, const int* position, __nv_bfloat16* y, int dim, int k) {
  __shared__ int places[MOST_K];
  const size_t token = blockIdx.x;
  if (threadIdx.x < k) places[threadIdx.x] = position[token * k + threadIdx.x];
  __syncthreads();
  push_row<WIDTH>(x + token * dim, places, y, dim, k);
}

inline bool rows_are_aligned(const __nv_bfloat16* x, const __nv_bfloat16* y, int dim) {
  return dim % 8 == 0 && is_aligned16(x) && is_aligned16(y);
}

inline void push_rows(const __nv_bfloat16* x, const int* position, __nv_bfloat16* y, int tokens,
                      int dim, int k) {
  const auto kernel = rows_are_aligned(x, y, dim) ? push_kernel<8> : push_kernel<1>;
  kernel<<<tokens, PUSH_THREADS>>>(x, position, y, dim, k);
}
