// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void batchnorm_kernel(const float* x, const float* gamma, const float* beta, float* y,
                                 int n, int channels, float eps) {
  __shared__ float part[8][32];
  const int channel = blockIdx.x * 32 + threadIdx.x;
  const bool in_bounds = channel < channels;
  const size_t stride = channels;
  float sum = 0.0f;
  if (in_bounds) {
    for (int row = threadIdx.y; row < n; row += 8) sum += x[row * stride + channel];
  }
  part[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  sum = 0.0f;
  for (int k = 0; k < 8; ++k) sum += part[k][threadIdx.x];
  const float mean = sum / n;
  __syncthreads();
  float m2 = 0.0f;
  if (in_bounds) {
    for (int row = threadIdx.y; row < n; row += 8) {
      const float delta = x[row * stride + channel] - mean;
      m2 += delta * delta;
    }
  }
  part[threadIdx.y][threadIdx.x] = m2;
  __syncthreads();
  m2 = 0.0f;
  for (int k = 0; k < 8; ++k) m2 += part[k][threadIdx.x];
  const float var = m2 / n;
  const float scale = rsqrtf(var + eps);
  if (!in_bounds) return;
  for (int row = threadIdx.y; row < n; row += 8) {
    const size_t i = row * stride + channel;
    y[i] = (x[i] - mean) * scale * gamma[channel] + beta[channel];
  }
}

extern "C" void batchnorm(const float* x, const float* gamma, const float* beta, float* y, int n,
                          int channels, float eps) {
  batchnorm_kernel<<<(channels + 31) / 32, dim3(32, 8)>>>(x, gamma, beta, y, n, channels, eps);
}
