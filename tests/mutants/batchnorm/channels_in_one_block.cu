// Fault: one block with a thread per channel, more than 1024 for many channels.
#include <cuda_runtime.h>

__global__ void batchnorm_kernel(const float* x, const float* gamma, const float* beta, float* y,
                                 int n, int channels, float eps) {
  const int channel = threadIdx.x;
  float sum = 0.0f, m2 = 0.0f;
  for (int row = 0; row < n; ++row) sum += x[row * channels + channel];
  const float mean = sum / n;
  for (int row = 0; row < n; ++row) {
    const float delta = x[row * channels + channel] - mean;
    m2 += delta * delta;
  }
  const float scale = rsqrtf(m2 / n + eps);
  for (int row = 0; row < n; ++row) {
    const int i = row * channels + channel;
    y[i] = (x[i] - mean) * scale * gamma[channel] + beta[channel];
  }
}

extern "C" void batchnorm(const float* x, const float* gamma, const float* beta, float* y, int n,
                          int channels, float eps) {
  batchnorm_kernel<<<1, channels>>>(x, gamma, beta, y, n, channels, eps);
}
