// 16-byte loads, four in flight per lane.
//
// A row starts at a multiple of 16 bytes only if K % 4 == 0. Otherwise the same loop runs with
// 4-byte loads, sixteen in flight.
//
// Prediction: the same bytes with a quarter of the load instructions. 2048 threads per SM with 64
// bytes in flight each are 128 KiB, and 23 KB are enough for 4.3 TB/s at 700 ns. So bandwidth is
// the limit: 15.3 us at 4096 x 4096 plus 3 us for the launch. With 16 columns 4 of 32 lanes load:
// slower than rung 2, until rung 4.
// Measured: 20.2 us at 4096x4096, 91 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "row_dot.h"

constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;
constexpr int UNROLL = 4;

template <bool VECTOR>
__global__ void sgemv_kernel(const float* A, const float* x, float* y, int M, int K) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int row = blockIdx.x * WARPS + warp;
  if (row >= M) return;  // the whole warp returns, so the shuffles have all lanes
  const float* row_A = A + static_cast<size_t>(row) * K;
  float sum = 0.0f;
  for (int first = 0; first < K; first += UNROLL * 128) {
    float4 a[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) a[u] = load4<32, VECTOR>(row_A, first + u * 128, K);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) sum += dot4(a[u], load4<32, VECTOR>(x, first + u * 128, K));
  }
  sum = group_sum<32>(sum);
  if (lane == 0) y[row] = sum;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  const int grid = kata::ceil_div(M, WARPS);
  if (K % 4 == 0 && is_aligned16(A) && is_aligned16(x)) {
    sgemv_kernel<true><<<grid, THREADS>>>(A, x, y, M, K);
  } else {
    sgemv_kernel<false><<<grid, THREADS>>>(A, x, y, M, K);
  }
}
