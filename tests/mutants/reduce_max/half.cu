// Fault: the elements are compared in half precision.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void reduce_max_kernel(const float* x, float* max, int n) {
  __half best = __float2half(x[0]);
  for (int i = threadIdx.x; i < n; i += 32) best = __hmax(best, __float2half(x[i]));
  float widened = __half2float(best);
  for (int offset = 16; offset > 0; offset /= 2) {
    widened = fmaxf(widened, __shfl_xor_sync(~0u, widened, offset));
  }
  if (threadIdx.x == 0) *max = widened;
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  reduce_max_kernel<<<1, 32>>>(x, max, n);
}
