// Fault: the index is reduced as a half, which holds integers only up to 2048.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void argmax_kernel(const float* x, int* index, int n) {
  float value = -INFINITY;
  __half where = __int2half_rn(0);
  for (int i = threadIdx.x; i < n; i += 32)
    if (x[i] > value) value = x[i], where = __int2half_rn(i);
  for (int offset = 16; offset > 0; offset /= 2) {
    const float other = __shfl_down_sync(~0u, value, offset);
    const __half other_where = __shfl_down_sync(~0u, where, offset);
    if (other > value || (other == value && __hlt(other_where, where)))
      value = other, where = other_where;
  }
  if (threadIdx.x == 0) *index = __half2int_rn(where);
}

extern "C" void argmax(const float* x, int* index, int n) {
  argmax_kernel<<<1, 32>>>(x, index, n);
}
