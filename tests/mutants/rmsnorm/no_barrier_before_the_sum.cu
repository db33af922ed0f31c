// Fault: no barrier between the atomic additions and the reading of their sum.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void rmsnorm_kernel(const __nv_bfloat16* x, __nv_bfloat16* residual,
                               const __nv_bfloat16* weight, __nv_bfloat16* y, int rows, int cols,
                               float eps) {
  __shared__ float squares;
  const size_t first = static_cast<size_t>(blockIdx.x) * cols;
  if (threadIdx.x == 0) squares = 0.0f;
  __syncthreads();
  float mine = 0.0f;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    const float sum = __bfloat162float(residual[first + col]) + __bfloat162float(x[first + col]);
    residual[first + col] = __float2bfloat16(sum);
    const float value = __bfloat162float(residual[first + col]);
    mine += value * value;
  }
  atomicAdd(&squares, mine);
  const float scale = rsqrtf(squares / cols + eps);
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    const float value = __bfloat162float(residual[first + col]);
    y[first + col] = __float2bfloat16(value * scale * __bfloat162float(weight[col]));
  }
}

extern "C" void rmsnorm(const __nv_bfloat16* x, __nv_bfloat16* residual,
                        const __nv_bfloat16* weight, __nv_bfloat16* y, int rows, int cols,
                        float eps) {
  rmsnorm_kernel<<<rows, 64>>>(x, residual, weight, y, rows, cols, eps);
}
