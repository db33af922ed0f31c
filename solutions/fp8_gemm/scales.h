#pragma once
// The scales of A and B, and where results are stored.

#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <kata/kata.h>
#include <stdint.h>

using fp8 = __nv_fp8_e4m3;

constexpr int BLOCK_K = 128;  // elements of K that share their scales

struct Scales {
  const float* a;  // [blocks, M]
  const float* b;  // [ceil(N / 128), blocks]
  int M, N, blocks;

  static Scales of(const float* a, const float* b, int M, int N, int K) {
    return {a, b, M, N, K / BLOCK_K};
  }

  // Rows and columns outside C have the scales of its last ones.
  __device__ float of_row(int row, int block) const {
    return a[static_cast<int64_t>(block) * M + min(row, M - 1)];
  }
  __device__ float of_col(int col, int block) const {
    return b[min(col, N - 1) / 128 * blocks + block];
  }
};

// Neighbouring columns of C [M, N], rounded; none outside. col is even. Rows of odd length are not
// aligned for __nv_bfloat162.
__device__ inline void store_pair(__nv_bfloat16* C, int M, int N, int row, int col, float x,
                                  float y) {
  if (row >= M || col >= N) return;
  __nv_bfloat16* const at = C + static_cast<int64_t>(row) * N + col;
  if (N % 2 == 0) {
    *reinterpret_cast<__nv_bfloat162*>(at) = __floats2bfloat162_rn(x, y);
  } else {
    at[0] = __float2bfloat16(x);
    if (col + 1 < N) at[1] = __float2bfloat16(y);
  }
}
