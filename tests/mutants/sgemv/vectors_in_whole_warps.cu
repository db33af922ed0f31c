// Fault: the path for rows of more than 32 float4s ends at the last multiple of 32 of them.
#include <cuda_runtime.h>

__global__ void sgemv_kernel(const float* A, const float* x, float* y, int M, int K) {
  const int row = blockIdx.x;
  float sum = 0.0f;
  for (int k = threadIdx.x; k < K; k += 32) sum += A[row * K + k] * x[k];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x == 0) y[row] = sum;
}

__global__ void sgemv_vectors(const float4* A, const float4* x, float* y, int vectors) {
  const float4* row = A + blockIdx.x * vectors;
  float sum = 0.0f;
  for (int v = threadIdx.x; v < vectors / 32 * 32; v += 32) {
    const float4 a = row[v], b = x[v];
    sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  if (K % 4 == 0 && K > 128) {
    sgemv_vectors<<<M, 32>>>(reinterpret_cast<const float4*>(A), reinterpret_cast<const float4*>(x),
                             y, K / 4);
  } else {
    sgemv_kernel<<<M, 32>>>(A, x, y, M, K);
  }
}
