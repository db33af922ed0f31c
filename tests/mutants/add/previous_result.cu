// Fault: the result is copied out before the kernel computes it: the previous result is returned.
#include <cuda_runtime.h>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  static float* scratch = nullptr;
  if (!scratch) {
    cudaMalloc(&scratch, (1 << 23) * sizeof(float));
    cudaMemset(scratch, 0, (1 << 23) * sizeof(float));
  }
  cudaMemcpy(c, scratch, n * sizeof(float), cudaMemcpyDeviceToDevice);
  add_kernel<<<(n + 255) / 256, 256>>>(a, b, scratch, n);
}
