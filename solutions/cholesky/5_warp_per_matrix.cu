// Up to 32 columns: a warp per matrix, four matrices per block, and no barrier at all.
//
// Rung 4 has 256 threads for one small matrix, most of which wait for the warp that factors it. Here
// each warp takes a matrix of its own and factors it in registers. A is symmetric, so that lane i
// reads its row as column i: neighbours read neighbouring words. L goes through shared memory on its
// way out. Matrices of up to 8 and 16 columns have shorter loops; larger ones are left to rung 4.
//
// Prediction: 65536 x 32 is 407 MB, 88 us. A warp makes 32 x 31 / 2 shuffles, one per clock and SM:
// 496 matrices per SM are 250000 clocks, 140 us. Rung 4 needs about 1000.
// Measured: 5934.7 us at 640x512, 7.3 % of the limit (H200, 2026-11-29)
#include "panels.h"

constexpr int WARPS = 4;

template <int N>
__global__ void __launch_bounds__(32 * WARPS)
    warp_kernel(const float* A, float* L, int batch, int n) {
  __shared__ float tiles[WARPS][N][33];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int matrix = blockIdx.x * WARPS + warp;
  if (matrix >= batch) return;  // the whole warp
  auto& tile = tiles[warp];
  A += static_cast<size_t>(matrix) * n * n;
  L += static_cast<size_t>(matrix) * n * n;
  float row[N];
#pragma unroll
  for (int k = 0; k < N; ++k) {
    row[k] = lane == k ? 1.0f : 0.0f;  // rows that do not exist are those of an identity
    if (lane < n && k <= lane) row[k] = A[k * n + lane];
  }
  warp_factor(row);
#pragma unroll
  for (int k = 0; k < N; ++k) {
    if (lane < N) tile[lane][k] = k <= lane ? row[k] : 0.0f;
  }
  __syncwarp();
  for (int i = 0; i < n; ++i) {
    if (lane < n) L[i * n + lane] = tile[i][lane];
  }
}

extern "C" void cholesky(const float* A, float* L, int batch, int n) {
  if (n > 32) return launch_panels(A, L, batch, n);
  const auto kernel = n <= 8 ? warp_kernel<8> : n <= 16 ? warp_kernel<16> : warp_kernel<32>;
  kernel<<<kata::ceil_div(batch, WARPS), 32 * WARPS>>>(A, L, batch, n);
}
