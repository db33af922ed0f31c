// atomicCAS on the bits, behind a read that spares most of the swaps.
#include <cuda_runtime.h>

__device__ void raise(float* address, float value) {
  int* bits = reinterpret_cast<int*>(address);
  int old = atomicCAS(bits, 0, 0);
  while (__int_as_float(old) < value) {
    const int seen = atomicCAS(bits, old, __float_as_int(value));
    if (seen == old) return;
    old = seen;
  }
}

__global__ void start(float* out) {
  *out = -INFINITY;
}

__global__ void max_kernel(const float* x, float* out, int n) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 3;
  float best = -INFINITY;
  for (int i = first; i < min(first + 3, n); ++i) best = fmaxf(best, x[i]);
  if (first < n) raise(out, best);
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  start<<<1, 1>>>(max);
  max_kernel<<<(n + 191) / 192, 64>>>(x, max, n);
}
