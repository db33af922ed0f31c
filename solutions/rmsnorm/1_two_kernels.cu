// Two kernels: one adds x to the residual, one normalises its rows.
//
// The sum is rounded to bf16 once and stored. The second kernel gives each row to a block, which
// reads the stored residual twice: for the sum of squares, in float, and for the result. Squares in
// bf16 would have 8 bits: after 256 equal terms the sum would stop growing.
//
// Prediction: 6 bytes per element in the first kernel and 4 in the second, where the second read
// comes from cache: 335 MB at 8192 x 4096, 79 us at copy speed. But 2-byte accesses keep only 8 KB
// in flight per SM, where 4.3 TB/s need 23 KB: expect 200 us. Missed: more loads are in flight than
// one per thread.
// Measured: 146.6 us at 8192x4096, 44 % of the limit (H200, 2026-11-26)
#include <cuda_bf16.h>

#include <kata/kata.h>

#include "../common/row_sum.h"

constexpr int THREADS = 256;

__global__ void add_kernel(const __nv_bfloat16* x, __nv_bfloat16* residual, size_t elements) {
  const size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
  if (i < elements) {
    residual[i] = __float2bfloat16(__bfloat162float(residual[i]) + __bfloat162float(x[i]));
  }
}

__global__ void norm_kernel(const __nv_bfloat16* residual, const __nv_bfloat16* weight,
                            __nv_bfloat16* y, int cols, float eps) {
  const __nv_bfloat16* row = residual + static_cast<size_t>(blockIdx.x) * cols;
  __nv_bfloat16* row_y = y + static_cast<size_t>(blockIdx.x) * cols;

  float squares = 0.0f;
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    const float value = __bfloat162float(row[col]);
    squares += value * value;
  }
  const float scale = rsqrtf(row_sum<THREADS>(squares) / cols + eps);

  for (int col = threadIdx.x; col < cols; col += THREADS) {
    const float value = __bfloat162float(row[col]);
    row_y[col] = __float2bfloat16(value * scale * __bfloat162float(weight[col]));
  }
}

extern "C" void rmsnorm(const __nv_bfloat16* x, __nv_bfloat16* residual,
                        const __nv_bfloat16* weight, __nv_bfloat16* y, int rows, int cols,
                        float eps) {
  const size_t elements = static_cast<size_t>(rows) * cols;
  const int grid = static_cast<int>((elements - 1) / THREADS + 1);
  add_kernel<<<grid, THREADS>>>(x, residual, elements);
  norm_kernel<<<rows, THREADS>>>(residual, weight, y, cols, eps);
}
