// Order-preserving integers and atomicMax, with scratch memory that is given back.
#include <cuda_runtime.h>

__device__ unsigned ordered(float v) {
  const unsigned bits = __float_as_uint(v);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__device__ float from_ordered(unsigned key) {
  return __uint_as_float(key & 0x80000000u ? key & 0x7fffffffu : ~key);
}

__global__ void collect(const float* x, int n, unsigned* best) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned key = i < n ? ordered(x[i]) : 0u;
  const unsigned warp_best = __reduce_max_sync(0xffffffffu, key);
  if ((threadIdx.x & 31) == 0) atomicMax(best, warp_best);
}

__global__ void publish(const unsigned* best, float* out) {
  *out = from_ordered(*best);
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  unsigned* best = nullptr;
  if (cudaMalloc(&best, sizeof *best) != cudaSuccess) return;
  cudaMemset(best, 0, sizeof *best);
  collect<<<(n + 255) / 256, 256>>>(x, n, best);
  publish<<<1, 1>>>(best, max);
  cudaFree(best);
}
