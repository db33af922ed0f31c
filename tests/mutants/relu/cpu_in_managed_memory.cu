// Fault: the CPU computes in managed memory, between two kernels that copy.
#include <cuda_runtime.h>
__global__ void copy_in(const float* x, float* h, int n) {
  for (int i = threadIdx.x; i < n; i += 256) h[i] = x[i];
}
__global__ void copy_out(const float* h, float* y, int n) {
  for (int i = threadIdx.x; i < n; i += 256) y[i] = h[i];
}
extern "C" void relu(const float* x, float* y, int n) {
  float* h;
  cudaMallocManaged(&h, n * 4);
  copy_in<<<1, 256>>>(x, h, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; i++) h[i] = h[i] > 0 ? h[i] : 0;
  copy_out<<<1, 256>>>(h, y, n);
  cudaDeviceSynchronize();
  cudaFree(h);
}
