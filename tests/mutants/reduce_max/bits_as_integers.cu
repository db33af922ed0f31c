// Fault: floats are compared by their bits as ints: wrong where all are negative.
#include <cuda_runtime.h>

__global__ void start(float* max) {
  *max = -INFINITY;
}

__global__ void reduce_max_kernel(const float* x, float* max, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(reinterpret_cast<int*>(max), __float_as_int(x[i]));
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  start<<<1, 1>>>(max);
  reduce_max_kernel<<<(n + 255) / 256, 256>>>(x, max, n);
}
