// Tensor cores: mma.m16n8k32 with ldmatrix on swizzled tiles.
//
// The fragments of bytes have the layout of 16-bit ones with two bytes in each place, so ldmatrix
// loads them as pairs. B comes as [N, K]: its rows run along k as the instruction wants them, and
// nothing is transposed. The tiles have the XOR swizzle of hgemm's rung 5 (mma_tile.h).
//
// Prediction: twice hgemm's multiply-adds from the same bytes of shared memory, twice the bytes of
// device memory per time. Copies do not overlap the math of their own block: 600 TOP/s, 0.23 ms at
// 4096 cubed. Missed: rung 5, which overlaps the loads, takes 276 us, so nearly half of the time is
// waiting.
// Measured: 500.9 us at 4096x4096x4096, 14 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/mma_tile.h"
#include "store_ints.h"

__global__ void __launch_bounds__(THREADS, 2)
    igemm_kernel(AlignedRows<signed char> A, AlignedRows<signed char> B, StoreInts C) {
  __shared__ Tiles tiles;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const auto load = [](uint4* to, const uint4* from, bool in_bounds) {
    *to = in_bounds ? *from : make_uint4(0, 0, 0, 0);
  };
  WarpSum<int> sum = {};
  for (int k0 = 0; k0 < A.stride; k0 += BK<signed char>) {
    copy_rows<true>(tiles.A, A, C.M, row0, k0, load);
    copy_rows<true>(tiles.B, B, C.N, col0, k0, load);
    __syncthreads();
    multiply_byte_tiles<true>(sum, tiles);
    __syncthreads();
  }
  for_each_pair<int>(sum, row0, col0, C);
}

extern "C" void igemm(const signed char* A, const signed char* B, int* C, int M, int N, int K) {
  static Scratch<uint4> scratch_A, scratch_B;
  const AlignedRows<signed char> a = aligned_rows(A, M, K, scratch_A);
  const AlignedRows<signed char> b = aligned_rows(B, N, K, scratch_B);
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM));
  igemm_kernel<<<grid, THREADS>>>(a, b, {C, M, N});
}
