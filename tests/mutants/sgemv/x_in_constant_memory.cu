// Fault: x is staged in 4096 floats of constant memory, and the rest of it is forgotten.
#include <cuda_runtime.h>

__constant__ float staged[4096];

__global__ void sgemv_kernel(const float* A, float* y, int K) {
  float sum = 0.0f;
  for (int k = threadIdx.x; k < min(K, 4096); k += 32) sum += A[blockIdx.x * K + k] * staged[k];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  const int count = K < 4096 ? K : 4096;
  cudaMemcpyToSymbol(staged, x, count * sizeof(float), 0, cudaMemcpyDeviceToDevice);
  sgemv_kernel<<<M, 32>>>(A, y, K);
}
