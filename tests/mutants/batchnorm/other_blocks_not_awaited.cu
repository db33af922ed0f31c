// Fault: a block normalises with sums to which other blocks of the same launch still add.
#include <cuda_runtime.h>

__device__ float sums[4096];
__device__ float squares[4096];

__global__ void clear_kernel() {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[i] = 0.0f;
  squares[i] = 0.0f;
}

__global__ void batchnorm_kernel(const float* x, const float* gamma, const float* beta, float* y,
                                 int n, int channels, float eps) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels) return;
  const float from = x[channel];
  float sum = 0.0f, square = 0.0f;
  for (int row = blockIdx.y; row < n; row += gridDim.y) {
    const float delta = x[row * channels + channel] - from;
    sum += delta;
    square += delta * delta;
  }
  atomicAdd(&sums[channel], sum);
  atomicAdd(&squares[channel], square);
  __threadfence();
  const float shift = sums[channel] / n;
  const float scale = rsqrtf(squares[channel] / n - shift * shift + eps);
  for (int row = blockIdx.y; row < n; row += gridDim.y) {
    const int i = row * channels + channel;
    y[i] = (x[i] - from - shift) * scale * gamma[channel] + beta[channel];
  }
}

extern "C" void batchnorm(const float* x, const float* gamma, const float* beta, float* y, int n,
                          int channels, float eps) {
  clear_kernel<<<32, 128>>>();
  const dim3 grid((channels + 31) / 32, 3);
  batchnorm_kernel<<<grid, 32>>>(x, gamma, beta, y, n, channels, eps);
}
