// Fault: threads past the end and the maximum itself start at -1e30, as masks in softmax do.
#include <cuda_runtime.h>

constexpr float lowest = -1e30f;

__global__ void start(float* max) {
  *max = lowest;
}

__global__ void reduce_max_kernel(const float* x, float* max, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float best = i < n ? x[i] : lowest;
  for (int offset = 16; offset > 0; offset /= 2) {
    best = fmaxf(best, __shfl_xor_sync(~0u, best, offset));
  }
  if (threadIdx.x % 32 > 0) return;
  if (best >= 0) {
    atomicMax(reinterpret_cast<int*>(max), __float_as_int(best));
  } else {
    atomicMin(reinterpret_cast<unsigned*>(max), __float_as_uint(best));
  }
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  start<<<1, 1>>>(max);
  reduce_max_kernel<<<(n + 255) / 256, 256>>>(x, max, n);
}
