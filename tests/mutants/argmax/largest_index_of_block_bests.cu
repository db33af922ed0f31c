// Fault: each block finds its own best, and atomicMax over the indices keeps the last of those.
#include <cuda_runtime.h>

__global__ void argmax_kernel(const float* x, int* index, int n) {
  float value = -INFINITY;
  int where = INT_MAX;
  for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * 32)
    if (x[i] > value) value = x[i], where = i;
  for (int offset = 16; offset > 0; offset /= 2) {
    const float other = __shfl_down_sync(~0u, value, offset);
    const int other_where = __shfl_down_sync(~0u, where, offset);
    if (other > value || (other == value && other_where < where))
      value = other, where = other_where;
  }
  if (threadIdx.x == 0) atomicMax(index, where);
}

extern "C" void argmax(const float* x, int* index, int n) {
  cudaMemsetAsync(index, 0, sizeof(int));
  argmax_kernel<<<min((n + 31) / 32, 64), 32>>>(x, index, n);
}
