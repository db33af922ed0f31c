// Fault: the filter is centred on the output, with zeros outside the signal ("same" padding).
#include <cuda_runtime.h>

__global__ void conv1d_kernel(const float* x, const float* w, float* y, int n, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n - k) return;
  float sum = 0.0f;
  for (int j = 0; j < k; ++j) {
    const int at = i + j - k / 2;
    if (at >= 0 && at < n) sum += x[at] * w[j];
  }
  y[i] = sum;
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  conv1d_kernel<<<(n - k + 256) / 256, 256>>>(x, w, y, n, k);
}
