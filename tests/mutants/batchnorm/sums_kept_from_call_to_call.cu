// Fault: the sums of a call are added to those of the call before.
#include <cuda_runtime.h>

__device__ float sums[4096];
__device__ float squares[4096];

__global__ void sum_kernel(const float* x, int n, int channels) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels) return;
  float sum = 0.0f;
  for (int row = 0; row < n; ++row) sum += x[row * channels + channel];
  sums[channel] += sum;
}

__global__ void square_kernel(const float* x, int n, int channels) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels) return;
  float m2 = 0.0f;
  for (int row = 0; row < n; ++row) {
    const float delta = x[row * channels + channel] - sums[channel] / n;
    m2 += delta * delta;
  }
  squares[channel] += m2;
}

__global__ void normalise_kernel(const float* x, const float* gamma, const float* beta, float* y,
                                 int n, int channels, float eps) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels) return;
  const float mean = sums[channel] / n;
  const float scale = rsqrtf(squares[channel] / n + eps);
  for (int row = 0; row < n; ++row) {
    const int i = row * channels + channel;
    y[i] = (x[i] - mean) * scale * gamma[channel] + beta[channel];
  }
}

extern "C" void batchnorm(const float* x, const float* gamma, const float* beta, float* y, int n,
                          int channels, float eps) {
  const int grid = (channels + 31) / 32;
  sum_kernel<<<grid, 32>>>(x, n, channels);
  square_kernel<<<grid, 32>>>(x, n, channels);
  normalise_kernel<<<grid, 32>>>(x, gamma, beta, y, n, channels, eps);
}
