// Two kernels: unpack all weights to half, then an ordinary product with a warp per row.
//
// Simple, and each kernel can be tested alone. But the product reads four times the bytes of the
// packed weights, and the unpacked matrix goes to device memory and back.
//
// Prediction: per weight, half a byte is read, two are written and two are read: 4.5 bytes instead
// of 0.52. At 28672 x 8192 that is 1.06 GB, 247 us at 4.3 TB/s. Both kernels have few bytes in
// flight, and each thread of the first writes 16 bytes in eight pieces: 500 us. Missed: the pieces
// cost more than that.
// Measured: 805.5 us at 28672x8192, 3.7 % of the limit (H200, 2026-11-25)
#include <kata/kata.h>

#include "../common/block_sum.h"
#include "../common/scratch.h"
#include "dequantise.h"

constexpr int THREADS = 128;
constexpr int WARPS = THREADS / 32;

__global__ void gemv_kernel(const __half* matrix, const __half* x, __half* y, int M, int K) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * WARPS + threadIdx.x / 32;
  if (row >= M) return;  // the whole warp: no shuffle misses a lane
  const __half2* row2 = reinterpret_cast<const __half2*>(matrix + static_cast<size_t>(row) * K);
  const __half2* x2 = reinterpret_cast<const __half2*>(x);
  float sum = 0.0f;
  for (int i = lane; i < K / 2; i += 32) {
    const float2 w = __half22float2(row2[i]);
    const float2 v = __half22float2(x2[i]);
    sum += w.x * v.x + w.y * v.y;
  }
  sum = warp_sum(sum);
  if (lane == 0) y[row] = __float2half(sum);
}

extern "C" void w4a16_gemv(const unsigned* W, const __half* scale, const __half* x, __half* y,
                           int M, int K) {
  static Scratch<__half> scratch;
  __half* matrix = scratch.get(static_cast<size_t>(M) * K);
  dequantise(W, scale, matrix, M, K);
  gemv_kernel<<<kata::ceil_div(M, WARPS), THREADS>>>(matrix, x, y, M, K);
}
