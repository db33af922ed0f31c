// Fault: float4 loads from rows that start at multiples of 16 bytes only if K % 4 is 0.
#include <cuda_runtime.h>

__global__ void sgemv_kernel(const float* A, const float* x, float* y, int K) {
  const float* a = A + blockIdx.x * K;
  float sum = 0.0f;
  for (int v = threadIdx.x; v < K / 4; v += 32) {
    const float4 p = reinterpret_cast<const float4*>(a)[v];
    const float4 q = reinterpret_cast<const float4*>(x)[v];
    sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  }
  for (int k = K / 4 * 4 + threadIdx.x; k < K; k += 32) sum += a[k] * x[k];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  sgemv_kernel<<<M, 32>>>(A, x, y, K);
}
