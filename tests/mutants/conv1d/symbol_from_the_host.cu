// Fault: w is copied to constant memory as if it were a host pointer.
#include <cuda_runtime.h>

__constant__ float filter[2048];

__global__ void conv1d_kernel(const float* x, float* y, int n, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n - k) return;
  float sum = 0.0f;
  for (int j = 0; j < k; ++j) sum += x[i + j] * filter[j];
  y[i] = sum;
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  cudaMemcpyToSymbol(filter, w, k * sizeof(float));
  conv1d_kernel<<<(n - k + 256) / 256, 256>>>(x, y, n, k);
}
