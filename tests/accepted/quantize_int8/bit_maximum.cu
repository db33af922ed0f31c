// The bits of |x| order like whole numbers, so the maximum of a row is found with integer warp reductions.
#include <cuda_runtime.h>

namespace {
constexpr int kThreads = 288;

__global__ void rows_kernel(const float* x, signed char* q, float* scale, int rows, int cols) {
  __shared__ unsigned slots[kThreads / 32];
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const float* in = x + static_cast<size_t>(r) * cols;
    signed char* out = q + static_cast<size_t>(r) * cols;
    unsigned top = 0;
    for (int c = threadIdx.x; c < cols; c += kThreads) top = max(top, __float_as_uint(in[c]) & 0x7fffffffu);
    top = __reduce_max_sync(0xffffffffu, top);
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = top;
    __syncthreads();
    for (int w = 0; w < kThreads / 32; ++w) top = max(top, slots[w]);
    __syncthreads();
    const float s = top == 0 ? 1.0f : __fdiv_rn(__uint_as_float(top), 127.0f);
    if (threadIdx.x == 0) scale[r] = s;
    for (int c = threadIdx.x; c < cols; c += kThreads) {
      const int v = __float2int_rn(__fdiv_rn(in[c], s));
      out[c] = static_cast<signed char>(max(-127, min(127, v)));
    }
  }
}
}  // namespace

extern "C" void quantize_int8(const float* x, signed char* q, float* scale, int rows, int cols) {
  rows_kernel<<<rows < 2500 ? rows : 2500, kThreads>>>(x, q, scale, rows, cols);
}
