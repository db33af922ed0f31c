// Four kernels: column sums, x - mean in y, sums of the squares of y, y scaled in place.
#include <cuda_runtime.h>

// sums[c] is the sum of x[., c], or of its squares.
__global__ void sum_kernel(const float* x, float* sums, int n, int channels, bool squared) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels) return;
  float sum = 0.0f;
  for (int row = n - 1; row >= 0; --row) {
    const float value = x[static_cast<size_t>(row) * channels + channel];
    sum += squared ? value * value : value;
  }
  sums[channel] = sum;
}

__global__ void centre_kernel(const float* x, const float* sums, float* y, int n, int channels) {
  const int elements = n * channels;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += gridDim.x * blockDim.x) {
    y[i] = x[i] - sums[i % channels] / n;
  }
}

__global__ void scale_kernel(const float* gamma, const float* beta, const float* squares, float* y,
                             int n, int channels, float eps) {
  const int elements = n * channels;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += gridDim.x * blockDim.x) {
    const int channel = i % channels;
    y[i] = y[i] / sqrtf(squares[channel] / n + eps) * gamma[channel] + beta[channel];
  }
}

extern "C" void batchnorm(const float* x, const float* gamma, const float* beta, float* y, int n,
                          int channels, float eps) {
  float* sums = nullptr;
  cudaMalloc(&sums, channels * sizeof(float));
  const int grid = (channels + 63) / 64;
  sum_kernel<<<grid, 64>>>(x, sums, n, channels, false);
  centre_kernel<<<30, 128>>>(x, sums, y, n, channels);
  sum_kernel<<<grid, 64>>>(y, sums, n, channels, true);
  scale_kernel<<<30, 128>>>(gamma, beta, sums, y, n, channels, eps);
  cudaFree(sums);
}
