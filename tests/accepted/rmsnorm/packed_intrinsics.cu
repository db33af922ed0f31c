// A warp per row; sums by __hadd2 on pairs of columns where rows are aligned to 4 bytes.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__device__ float warp_sum(float value) {
  for (int o = 16; o > 0; o /= 2) value += __shfl_xor_sync(~0u, value, o);
  return value;
}

__global__ void rmsnorm_kernel(const __nv_bfloat16* x, __nv_bfloat16* residual,
                               const __nv_bfloat16* weight, __nv_bfloat16* y, int rows, int cols,
                               float eps) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const size_t first = static_cast<size_t>(row) * cols;
  float squares = 0.0f;
  if (cols % 2 == 0) {
    __nv_bfloat162* pairs = reinterpret_cast<__nv_bfloat162*>(residual + first);
    const __nv_bfloat162* addends = reinterpret_cast<const __nv_bfloat162*>(x + first);
    for (int i = threadIdx.x; i < cols / 2; i += 32) {
      pairs[i] = __hadd2(pairs[i], addends[i]);
      const float2 value = __bfloat1622float2(pairs[i]);
      squares += value.x * value.x + value.y * value.y;
    }
  } else {
    for (int col = threadIdx.x; col < cols; col += 32) {
      residual[first + col] = __hadd(residual[first + col], x[first + col]);
      const float value = __bfloat162float(residual[first + col]);
      squares += value * value;
    }
  }
  __syncwarp();
  const float scale = rsqrtf(warp_sum(squares) / cols + eps);
  for (int col = threadIdx.x; col < cols; col += 32) {
    const float value = __bfloat162float(residual[first + col]);
    y[first + col] = __float2bfloat16(value * scale * __bfloat162float(weight[col]));
  }
}

extern "C" void rmsnorm(const __nv_bfloat16* x, __nv_bfloat16* residual,
                        const __nv_bfloat16* weight, __nv_bfloat16* y, int rows, int cols,
                        float eps) {
  rmsnorm_kernel<<<(rows + 3) / 4, dim3(32, 4)>>>(x, residual, weight, y, rows, cols, eps);
}
