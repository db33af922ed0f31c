// Tiles of 128 x 128 on tensor cores, numbered over all groups.
//
// The rung to reach in 30 minutes. The sizes are on the device, so the host launches as many rows
// of tiles as there can be: M / 128 rounded up, and one more per group for a tile that is not full.
// A block finds its group by a scan over the groups' numbers of tiles, and ends if there is none.
//
// Prediction: 64 groups of 8192 rows have up to 128 rows of tiles, 96 on average, and 12 columns.
// A block loads 16 KB, waits, and multiplies 32 deep: 1.5 us for each of 64 steps, two blocks on an
// SM: 1152 tiles in 4.4 waves of 264 take 5 x 64 x 1.5 us: 480 us at 64 x 8192 x 2048 x 1536.
// Measured: 589.5 us at 64x8192x2048x1536, 18 % of the limit (H200, 2026-11-30)
#include "row_tiles.h"

__global__ void __launch_bounds__(THREADS, 2)
    product_kernel(AlignedRows<__nv_bfloat16> A, AlignedRows<__nv_bfloat16> B, const int* offsets,
                   __nv_bfloat16* C, int groups, int K, int N) {
  __shared__ Tiles tiles;
  const RowTile rows = find_tile(offsets, groups, blockIdx.y);
  if (rows.group < 0) return;
  const AlignedRows<__nv_bfloat16> b = of_group(B, rows.group, K);
  const int col0 = blockIdx.x * BN;
  const auto copy = [](uint4* to, const uint4* from, bool in_bounds) {
    *to = in_bounds ? *from : make_uint4(0, 0, 0, 0);
  };
  WarpSum<float> sum = {};
  for (int k0 = 0; k0 < K; k0 += BK<__nv_bfloat16>) {
    copy_rows<true>(tiles.A, A, rows.end, rows.row0, k0, copy);
    copy_panels<true>(tiles.B, b, K, col0, k0, copy);
    __syncthreads();
    multiply_tiles<true, __nv_bfloat16>(sum, tiles);
    __syncthreads();
  }
  for_each_pair<float>(sum, rows.row0, col0, StoreRows{C, rows.end, N});
}

extern "C" void grouped_gemm(const __nv_bfloat16* A, const __nv_bfloat16* B, const int* offsets,
                             __nv_bfloat16* C, int groups, int M, int K, int N) {
  static Scratch<uint4> scratch_A, scratch_B;
  const AlignedRows<__nv_bfloat16> a = aligned_rows(A, M, K, scratch_A);
  const AlignedRows<__nv_bfloat16> b = aligned_rows(B, groups * K, N, scratch_B);
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM) + groups);
  product_kernel<<<grid, THREADS>>>(a, b, offsets, C, groups, K, N);
}
