// Adds up in double, from the last tap to the first; each thread has two outputs far apart.
#include <cuda_runtime.h>

__device__ void output(const float* x, const float* w, float* y, int i, int k) {
  double sum = 0.0;
  for (int j = k - 1; j >= 0; --j) sum += static_cast<double>(x[i + j]) * w[j];
  y[i] = static_cast<float>(sum);
}

__global__ void conv1d_kernel(const float* x, const float* w, float* y, int outputs, int k) {
  const int half = (outputs + 1) / 2;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < half) output(x, w, y, i, k);
  if (i < outputs - half) output(x, w, y, half + i, k);
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  const int outputs = n - k + 1;
  conv1d_kernel<<<(outputs + 1) / 2 / 100 + 1, 100>>>(x, w, y, outputs, k);
}
