// One block per channel: 256 threads share the rows of a column.
//
// The grid is now as large as the number of channels, and each thread has n / 256 rows. But
// neighbouring threads read addresses 4 * channels bytes apart: a request touches 32 sectors and
// uses 4 of 32 bytes of each. The blocks of eight neighbouring channels read the same sectors.
//
// Prediction: 3 passes and a write are 4 * 8 sectors of traffic per 32 bytes: 67 MB * 8 * 4 = 2.1
// GB through L2 at 65536 x 256, about 400 us at 5.5 TB/s, if the blocks stay close enough together
// for L2 to serve the other channels of a sector.
// Measured: 664.1 us at 65536x256, 6.6 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "../common/row_sum.h"

constexpr int THREADS = 256;

__global__ void batchnorm_kernel(const float* x, const float* gamma, const float* beta, float* y,
                                 int n, int channels, float eps) {
  __shared__ float mean;
  __shared__ float scale;
  const int tid = threadIdx.x;
  const int channel = blockIdx.x;
  const size_t stride = channels;

  float sum = 0.0f;
  for (int row = tid; row < n; row += THREADS) sum += x[row * stride + channel];
  sum = row_sum<THREADS>(sum);
  if (tid == 0) mean = sum / n;
  __syncthreads();

  float m2 = 0.0f;
  for (int row = tid; row < n; row += THREADS) {
    const float delta = x[row * stride + channel] - mean;
    m2 += delta * delta;
  }
  m2 = row_sum<THREADS>(m2);
  if (tid == 0) scale = rsqrtf(m2 / n + eps) * gamma[channel];
  __syncthreads();

  for (int row = tid; row < n; row += THREADS) {
    const size_t i = row * stride + channel;
    y[i] = (x[i] - mean) * scale + beta[channel];
  }
}

extern "C" void batchnorm(const float* x, const float* gamma, const float* beta, float* y, int n,
                          int channels, float eps) {
  batchnorm_kernel<<<channels, THREADS>>>(x, gamma, beta, y, n, channels, eps);
}
