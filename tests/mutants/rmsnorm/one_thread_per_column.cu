// Fault: a block has one thread per column, more than 1024 for long rows.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void rmsnorm_kernel(const __nv_bfloat16* x, __nv_bfloat16* residual,
                               const __nv_bfloat16* weight, __nv_bfloat16* y, int rows, int cols,
                               float eps) {
  __shared__ float squares;
  const size_t i = static_cast<size_t>(blockIdx.x) * cols + threadIdx.x;
  if (threadIdx.x == 0) squares = 0.0f;
  __syncthreads();
  residual[i] = __float2bfloat16(__bfloat162float(residual[i]) + __bfloat162float(x[i]));
  const float value = __bfloat162float(residual[i]);
  atomicAdd(&squares, value * value);
  __syncthreads();
  const float scale = rsqrtf(squares / cols + eps);
  y[i] = __float2bfloat16(value * scale * __bfloat162float(weight[threadIdx.x]));
}

extern "C" void rmsnorm(const __nv_bfloat16* x, __nv_bfloat16* residual,
                        const __nv_bfloat16* weight, __nv_bfloat16* y, int rows, int cols,
                        float eps) {
  rmsnorm_kernel<<<rows, cols>>>(x, residual, weight, y, rows, cols, eps);
}
