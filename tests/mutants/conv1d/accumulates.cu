// Fault: the products are added to an output that holds no number yet.
#include <cuda_runtime.h>

__global__ void conv1d_kernel(const float* x, const float* w, float* y, int n, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n - k) return;
  for (int j = 0; j < k; ++j) y[i] += x[i + j] * w[j];
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  conv1d_kernel<<<(n - k + 256) / 256, 256>>>(x, w, y, n, k);
}
