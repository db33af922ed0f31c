// A warp per row, sums by shuffles, everything but the storage in float.
#include <cuda_bf16.h>
#include <kata/kata.h>

__global__ void warp_norm(const __nv_bfloat16* x, __nv_bfloat16* residual, const __nv_bfloat16* weight,
                          __nv_bfloat16* y, int rows, int cols, float eps) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const size_t base = static_cast<size_t>(row) * cols;
  float q = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 32) {
    const __nv_bfloat16 s =
        __float2bfloat16_rn(__bfloat162float(x[base + c]) + __bfloat162float(residual[base + c]));
    residual[base + c] = s;
    const float f = __bfloat162float(s);
    q = fmaf(f, f, q);
  }
  for (int d = 16; d > 0; d /= 2) q += __shfl_down_sync(0xffffffffu, q, d);
  const float scale = 1.0f / sqrtf(q / cols + eps);
  for (int c = threadIdx.x; c < cols; c += 32)
    y[base + c] = __float2bfloat16_rn(__bfloat162float(residual[base + c]) * scale * __bfloat162float(weight[c]));
}

extern "C" void rmsnorm(const __nv_bfloat16* x, __nv_bfloat16* residual, const __nv_bfloat16* weight, __nv_bfloat16* y,
                        int rows, int cols, float eps) {
  warp_norm<<<kata::ceil_div(rows, 8), dim3(32, 8)>>>(x, residual, weight, y, rows, cols, eps);
}
