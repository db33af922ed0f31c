// Right: no map of tiles: every block walks over the groups, counts their tiles and takes each
// gridDim.y-th one; products by wmma from shared memory
#include <cuda_bf16.h>
#include <mma.h>

#include <kata/kata.h>

using namespace nvcuda;

// 32 x 64 outputs per tile; warp (i, j) has rows 16 i and columns 32 j.
__device__ void multiply_tile(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C,
                              int m0, int m_end, int n0, int K, int N) {
  __shared__ __align__(32) __nv_bfloat16 a[32][48], b[32][80];
  __shared__ __align__(32) float out[32][72];
  const __nv_bfloat16 zero = __float2bfloat16(0.0f);
  const int tid = threadIdx.x, wm = tid / 64 * 16, wn = tid / 32 % 2 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2];
  wmma::fill_fragment(acc[0], 0.0f);
  wmma::fill_fragment(acc[1], 0.0f);
  for (int k0 = 0; k0 < K; k0 += 32) {
    for (int e = tid; e < 32 * 32; e += 128) {
      const int m = m0 + e / 32, k = k0 + e % 32;
      a[e / 32][e % 32] = m < m_end && k < K ? A[static_cast<size_t>(m) * K + k] : zero;
    }
    for (int e = tid; e < 32 * 64; e += 128) {
      const int k = k0 + e / 64, n = n0 + e % 64;
      b[e / 64][e % 64] = k < K && n < N ? B[static_cast<size_t>(k) * N + n] : zero;
    }
    __syncthreads();
    for (int k = 0; k < 32; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> fb;
      wmma::load_matrix_sync(fa, &a[wm][k], 48);
      wmma::load_matrix_sync(fb, &b[k][wn], 80);
      wmma::mma_sync(acc[0], fa, fb, acc[0]);
      wmma::load_matrix_sync(fb, &b[k][wn + 16], 80);
      wmma::mma_sync(acc[1], fa, fb, acc[1]);
    }
    __syncthreads();
  }
  wmma::store_matrix_sync(&out[wm][wn], acc[0], 72, wmma::mem_row_major);
  wmma::store_matrix_sync(&out[wm][wn + 16], acc[1], 72, wmma::mem_row_major);
  __syncthreads();
  for (int e = tid; e < 32 * 64; e += 128) {
    const int m = m0 + e / 64, n = n0 + e % 64;
    if (m < m_end && n < N)
      C[static_cast<size_t>(m) * N + n] = __float2bfloat16(out[e / 64][e % 64]);
  }
  __syncthreads();  // before the next tile is staged
}

__global__ void __launch_bounds__(128)
    product_kernel(const __nv_bfloat16* A, const __nv_bfloat16* B, const int* offsets,
                   __nv_bfloat16* C, int groups, int K, int N) {
  const int slots = gridDim.y;
  int next = blockIdx.y;  // the next tile of this block, counted over all groups
  int first = 0;          // the first tile of group g
  int begin = offsets[0];
  for (int g = 0; g < groups; ++g) {
    const int end = offsets[g + 1];
    const int tiles = (end - begin + 31) / 32;
    for (; next < first + tiles; next += slots)
      multiply_tile(A, B + static_cast<size_t>(g) * K * N, C, begin + (next - first) * 32, end,
                    blockIdx.x * 64, K, N);
    first += tiles;
    begin = end;
  }
}

extern "C" void grouped_gemm(const __nv_bfloat16* A, const __nv_bfloat16* B, const int* offsets,
                             __nv_bfloat16* C, int groups, int M, int K, int N) {
  const int most = M / 32 + groups;  // no more tiles than these
  const dim3 grid((N + 63) / 64, most < 512 ? most : 512);
  product_kernel<<<grid, 128>>>(A, B, offsets, C, groups, K, N);
}
