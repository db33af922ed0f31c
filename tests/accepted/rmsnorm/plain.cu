// A plain kernel. faults.toml plants mistakes in it.
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
  for (int col = threadIdx.x; col < cols; col += 32) {
    const float sum = __bfloat162float(residual[first + col]) + __bfloat162float(x[first + col]);
    residual[first + col] = __float2bfloat16(sum);
    const float value = __bfloat162float(residual[first + col]);
    squares += value * value;
  }
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
