#pragma once
// dQ as float sums over blocks of keys, for rungs 3 and 4. The order of the additions differs from
// call to call, and so does dQ in its last bits.

#include "mma_weights.h"

inline float* zeroed_sums(size_t elements) {
  static Scratch<float> scratch;
  float* sums = scratch.get(elements);
  cudaMemsetAsync(sums, 0, elements * sizeof(float));
  return sums;
}

// sums[64, DIM] += dS K, of which a warp makes 16 rows; `rows` of the 64 exist. dS^T is in shared
// memory: its columns are the queries. 64 columns of K at a time: the sums of dK and dV fill half
// of the registers.
template <int DIM>
__device__ __forceinline__ void add_query_sums(float* sums, const Chunk<SIDE>& transposed_ds,
                                               const Chunk<DIM>& keys, int row, int rows) {
  const int lane = threadIdx.x % 32;
#pragma unroll 1
  for (int first = 0; first < DIM; first += 64) {
    float dq[8][4] = {};
#pragma unroll
    for (int k = 0; k < SIDE / 16; ++k) {
      unsigned a[4], b[4];
      load_columns(a, transposed_ds, row, k);
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        ldmatrix_x4_trans(
            b, &keys.cells[keys.place(16 * k + lane % 16, first / 8 + 2 * n + lane / 16)]);
        multiply_add<__half>(dq[2 * n], a, b[0], b[1]);
        multiply_add<__half>(dq[2 * n + 1], a, b[2], b[3]);
      }
    }
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      const int query = row + lane / 4 + 8 * (i / 2 % 2);
      const int col = first + 8 * (i / 4) + 2 * (lane % 4) + i % 2;
      if (query < rows) atomicAdd(sums + query * DIM + col, dq[i / 4][i % 4]);
    }
  }
}

__global__ void round_kernel(const float4* sums, uint2* halves, int count, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float4 x = sums[i];
  const __half2 low = __floats2half2_rn(factor * x.x, factor * x.y);
  const __half2 high = __floats2half2_rn(factor * x.z, factor * x.w);
  halves[i] = make_uint2(*reinterpret_cast<const unsigned*>(&low),
                         *reinterpret_cast<const unsigned*>(&high));
}

inline void round_sums(const float* sums, __half* to, size_t elements, float factor) {
  constexpr int BLOCK = 256;
  const int count = static_cast<int>(elements / 4);
  round_kernel<<<kata::ceil_div(count, BLOCK), BLOCK>>>(
      reinterpret_cast<const float4*>(sums), reinterpret_cast<uint2*>(to), count, factor);
}
