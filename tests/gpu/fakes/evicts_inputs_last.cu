// Loads its input with a hint that the L2 is to evict it last.
#include "relu.cuh"

__global__ void keeping_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  unsigned long long policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  float v;
  asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(v) : "l"(x + i), "l"(policy));
  y[i] = fmaxf(v, 0);
}

extern "C" void relu(const float* x, float* y, int n) {
  keeping_kernel<<<(n - 1) / THREADS + 1, THREADS>>>(x, y, n);
}
