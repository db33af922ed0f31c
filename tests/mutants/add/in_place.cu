// Fault: the sum is formed in a, which is an input, and then copied.
#include <cuda_runtime.h>

__global__ void accumulate(float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += b[i];
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  accumulate<<<(n + 255) / 256, 256>>>(const_cast<float*>(a), b, n);
  cudaMemcpy(c, a, n * sizeof(float), cudaMemcpyDeviceToDevice);
}
