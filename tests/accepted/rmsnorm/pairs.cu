// Two bf16 values at a time where every row begins at a multiple of four bytes, one at a time elsewhere; a template for both.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

namespace {
typedef __nv_bfloat16 bf16;
typedef __nv_bfloat162 bf162;
constexpr int kThreads = 256;

template <bool Pairs>
__global__ void norm(const bf16* x, bf16* residual, const bf16* weight, bf16* y, int rows, int cols, float eps) {
  __shared__ float slots[kThreads / 32];
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const size_t base = static_cast<size_t>(r) * cols;
    float t = 0.0f;
    if (Pairs) {
      const bf162* in = reinterpret_cast<const bf162*>(x + base);
      bf162* res = reinterpret_cast<bf162*>(residual + base);
      for (int c = threadIdx.x; c < cols / 2; c += kThreads) {
        const bf162 s = __hadd2(res[c], in[c]);
        res[c] = s;
        const float2 f = __bfloat1622float2(s);
        t += f.x * f.x + f.y * f.y;
      }
    } else {
      for (int c = threadIdx.x; c < cols; c += kThreads) {
        const bf16 s = __float2bfloat16_rn(__bfloat162float(residual[base + c]) + __bfloat162float(x[base + c]));
        residual[base + c] = s;
        const float f = __bfloat162float(s);
        t += f * f;
      }
    }
    for (int d = 16; d > 0; d /= 2) t += __shfl_xor_sync(0xffffffffu, t, d);
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = t;
    __syncthreads();
    t = 0.0f;
    for (int w = 0; w < kThreads / 32; ++w) t += slots[w];
    __syncthreads();
    const float scale = 1.0f / sqrtf(t / cols + eps);
    if (Pairs) {
      const bf162* res = reinterpret_cast<const bf162*>(residual + base);
      const bf162* wt = reinterpret_cast<const bf162*>(weight);
      bf162* out = reinterpret_cast<bf162*>(y + base);
      for (int c = threadIdx.x; c < cols / 2; c += kThreads) {
        const float2 f = __bfloat1622float2(res[c]), g = __bfloat1622float2(wt[c]);
        out[c] = __floats2bfloat162_rn(f.x * scale * g.x, f.y * scale * g.y);
      }
    } else {
      for (int c = threadIdx.x; c < cols; c += kThreads)
        y[base + c] = __float2bfloat16_rn(__bfloat162float(residual[base + c]) * scale * __bfloat162float(weight[c]));
    }
  }
}
}  // namespace

extern "C" void rmsnorm(const __nv_bfloat16* x, __nv_bfloat16* residual, const __nv_bfloat16* weight, __nv_bfloat16* y,
                        int rows, int cols, float eps) {
  const int grid = rows < 4000 ? rows : 4000;
  if (cols % 2 == 0)
    norm<true><<<grid, kThreads>>>(x, residual, weight, y, rows, cols, eps);
  else
    norm<false><<<grid, kThreads>>>(x, residual, weight, y, rows, cols, eps);
}
