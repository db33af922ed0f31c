// Fault: the parts of a channel take deviations from their own means, which are added up as they
// are.
#include <cuda_runtime.h>

constexpr int PARTS = 4;

__device__ float sums[PARTS][4096];
__device__ float squares[PARTS][4096];

__global__ void part_kernel(const float* x, int n, int channels) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels) return;
  const int part = blockIdx.y;
  float sum = 0.0f, m2 = 0.0f;
  int count = 0;
  for (int row = part; row < n; row += PARTS, ++count) sum += x[row * channels + channel];
  const float mean = count > 0 ? sum / count : 0.0f;
  for (int row = part; row < n; row += PARTS) {
    const float delta = x[row * channels + channel] - mean;
    m2 += delta * delta;
  }
  sums[part][channel] = sum;
  squares[part][channel] = m2;
}

__global__ void normalise_kernel(const float* x, const float* gamma, const float* beta, float* y,
                                 int n, int channels, float eps) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels) return;
  float sum = 0.0f, m2 = 0.0f;
  for (int part = 0; part < PARTS; ++part) {
    sum += sums[part][channel];
    m2 += squares[part][channel];
  }
  const float mean = sum / n;
  const float scale = rsqrtf(m2 / n + eps);
  for (int row = blockIdx.y; row < n; row += PARTS) {
    const int i = row * channels + channel;
    y[i] = (x[i] - mean) * scale * gamma[channel] + beta[channel];
  }
}

extern "C" void batchnorm(const float* x, const float* gamma, const float* beta, float* y, int n,
                          int channels, float eps) {
  const dim3 grid((channels + 31) / 32, PARTS);
  part_kernel<<<grid, 32>>>(x, n, channels);
  normalise_kernel<<<grid, 32>>>(x, gamma, beta, y, n, channels, eps);
}
