// A warp per channel: Welford in each lane, and a merge by shuffles.
#include <cuda_runtime.h>

__global__ void batchnorm_kernel(const float* x, const float* gamma, const float* beta, float* y,
                                 int n, int channels, float eps) {
  const int channel = blockIdx.x * blockDim.y + threadIdx.y;
  if (channel >= channels) return;
  const size_t stride = channels;
  float count = 0.0f, mean = 0.0f, m2 = 0.0f;
  for (int row = threadIdx.x; row < n; row += 32) {
    const float value = x[row * stride + channel];
    const float delta = value - mean;
    mean += delta / ++count;
    m2 += delta * (value - mean);
  }
  for (int o = 16; o > 0; o /= 2) {
    const float other = __shfl_xor_sync(~0u, count, o);
    const float delta = __shfl_xor_sync(~0u, mean, o) - mean;
    m2 += __shfl_xor_sync(~0u, m2, o);
    if (other > 0.0f) {
      const float all = count + other;
      mean += delta * other / all;
      m2 += delta * delta * count * other / all;
      count = all;
    }
  }
  mean = __shfl_sync(~0u, mean, 0);
  const float scale = 1.0f / sqrtf(__shfl_sync(~0u, m2, 0) / n + eps);
  for (int row = threadIdx.x; row < n; row += 32) {
    const size_t i = row * stride + channel;
    y[i] = (x[i] - mean) * scale * gamma[channel] + beta[channel];
  }
}

extern "C" void batchnorm(const float* x, const float* gamma, const float* beta, float* y, int n,
                          int channels, float eps) {
  batchnorm_kernel<<<(channels + 3) / 4, dim3(32, 4)>>>(x, gamma, beta, y, n, channels, eps);
}
