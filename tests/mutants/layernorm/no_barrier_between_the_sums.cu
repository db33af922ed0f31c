// Fault: no barrier between reading the mean from shared memory and writing the squares to it.
#include <cuda_runtime.h>

__global__ void layernorm_kernel(const float* x, const float* gamma, const float* beta, float* y,
                                 int cols, float eps) {
  __shared__ float partial[256];
  const int tid = threadIdx.x, threads = blockDim.x;
  const float* in = x + static_cast<size_t>(blockIdx.x) * cols;
  float* out = y + static_cast<size_t>(blockIdx.x) * cols;
  float sum = 0.0f, m2 = 0.0f;
  for (int col = tid; col < cols; col += threads) sum += in[col];
  partial[tid] = sum;
  __syncthreads();
  for (int step = threads / 2; step > 0; step /= 2) {
    if (tid < step) partial[tid] += partial[tid + step];
    __syncthreads();
  }
  const float mean = partial[0] / cols;
  for (int col = tid; col < cols; col += threads) m2 += (in[col] - mean) * (in[col] - mean);
  partial[tid] = m2;
  __syncthreads();
  for (int step = threads / 2; step > 0; step /= 2) {
    if (tid < step) partial[tid] += partial[tid + step];
    __syncthreads();
  }
  const float inverse = rsqrtf(partial[0] / cols + eps);
  for (int col = tid; col < cols; col += threads) {
    out[col] = (in[col] - mean) * inverse * gamma[col] + beta[col];
  }
}

extern "C" void layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows,
                          int cols, float eps) {
  layernorm_kernel<<<rows, 256>>>(x, gamma, beta, y, cols, eps);
}
