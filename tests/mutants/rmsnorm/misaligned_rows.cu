// Fault: eight columns per load from every row, which is aligned only if cols % 8 is 0.
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
  for (int col = 8 * threadIdx.x; col < cols; col += 8 * 32) {
    __nv_bfloat16 addend[8];
    if (col + 8 <= cols) {
      *reinterpret_cast<uint4*>(addend) = *reinterpret_cast<const uint4*>(x + first + col);
    }
    for (int k = 0; k < 8 && col + k < cols; ++k) {
      const float a = __bfloat162float(col + 8 <= cols ? addend[k] : x[first + col + k]);
      const __nv_bfloat16 sum = __float2bfloat16(__bfloat162float(residual[first + col + k]) + a);
      residual[first + col + k] = sum;
      squares += __bfloat162float(sum) * __bfloat162float(sum);
    }
  }
  const float scale = rsqrtf(warp_sum(squares) / cols + eps);
  __syncwarp();
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
