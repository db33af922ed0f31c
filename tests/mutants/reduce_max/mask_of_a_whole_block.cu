// Fault: the rest of the last block is n % 256, which is none if n is a multiple of 256.
#include <cuda_runtime.h>

__global__ void start(float* max) {
  *max = -INFINITY;
}

__global__ void reduce_max_kernel(const float* x, float* max, int n) {
  const int count = blockIdx.x + 1 < gridDim.x ? 256 : n % 256;
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (threadIdx.x >= count) return;
  int old = __float_as_int(-INFINITY);
  while (__int_as_float(old) < x[i]) {
    const int seen = atomicCAS(reinterpret_cast<int*>(max), old, __float_as_int(x[i]));
    if (seen == old) break;
    old = seen;
  }
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  start<<<1, 1>>>(max);
  reduce_max_kernel<<<(n + 255) / 256, 256>>>(x, max, n);
}
