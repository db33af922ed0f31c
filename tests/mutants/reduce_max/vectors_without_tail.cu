// Fault: only float4, except for n < 4: the last n % 4 elements are never compared.
#include <cuda_runtime.h>

__global__ void reduce_max_kernel(const float* x, float* max, int n) {
  float best = x[0];
  if (n < 4) {
    for (int i = 1; i < n; ++i) best = fmaxf(best, x[i]);
  }
  for (int v = threadIdx.x; v < n / 4; v += 32) {
    const float4 four = reinterpret_cast<const float4*>(x)[v];
    best = fmaxf(best, fmaxf(fmaxf(four.x, four.y), fmaxf(four.z, four.w)));
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    best = fmaxf(best, __shfl_xor_sync(~0u, best, offset));
  }
  if (threadIdx.x == 0) *max = best;
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  reduce_max_kernel<<<1, 32>>>(x, max, n);
}
