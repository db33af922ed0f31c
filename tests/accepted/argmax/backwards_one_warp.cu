// One warp that walks down from the end, with >=, so that the first of equal values is kept last.
#include <cuda_runtime.h>

__global__ void argmax_kernel(const float* x, int* index, int n) {
  const int lane = threadIdx.x;
  float value = -INFINITY;
  int where = n;  // no element
  for (int i = n - 1 - lane; i >= 0; i -= 32)
    if (x[i] >= value) value = x[i], where = i;
  for (int step = 1; step < 32; step *= 2) {
    const float other = __shfl_xor_sync(~0u, value, step);
    const int other_where = __shfl_xor_sync(~0u, where, step);
    if (other > value || (other == value && other_where < where))
      value = other, where = other_where;
  }
  if (lane == 0) *index = where;
}

extern "C" void argmax(const float* x, int* index, int n) {
  argmax_kernel<<<1, 32>>>(x, index, n);
}
