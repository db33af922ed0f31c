// Fault: the shared array for the filter has room for 1024 taps.
#include <cuda_runtime.h>

__global__ void conv1d_kernel(const float* x, const float* w, float* y, int n, int k) {
  __shared__ float filter[1024];
  for (int j = threadIdx.x; j < k; j += blockDim.x) filter[j] = w[j];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n - k) return;
  float sum = 0.0f;
  for (int j = 0; j < k; ++j) sum += x[i + j] * filter[j];
  y[i] = sum;
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  conv1d_kernel<<<(n - k + 256) / 256, 256>>>(x, w, y, n, k);
}
