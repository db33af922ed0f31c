// Fault: n - 1 for n: the last element is never compared.
#include <cuda_runtime.h>

__device__ void raise_to(float* max, float value) {
  int old = __float_as_int(-INFINITY);
  while (__int_as_float(old) < value) {
    const int seen = atomicCAS((int*)max, old, __float_as_int(value));
    if (seen == old) return;
    old = seen;
  }
}

__global__ void start(float* max) {
  *max = -INFINITY;
}

__global__ void reduce_max_kernel(const float* x, float* max, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1 || n == 1) raise_to(max, x[i < n ? i : 0]);
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  start<<<1, 1>>>(max);
  reduce_max_kernel<<<(n + 255) / 256, 256>>>(x, max, n);
}
