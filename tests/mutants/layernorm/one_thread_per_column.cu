// Fault: the block has one thread per column: no launch above 1024 columns.
#include <cuda_runtime.h>

__global__ void layernorm_kernel(const float* x, const float* gamma, const float* beta, float* y,
                                 int cols, float eps) {
  __shared__ float sum, m2;
  const size_t i = static_cast<size_t>(blockIdx.x) * cols + threadIdx.x;
  if (threadIdx.x == 0) sum = m2 = 0.0f;
  __syncthreads();
  atomicAdd(&sum, x[i]);
  __syncthreads();
  const float delta = x[i] - sum / cols;
  atomicAdd(&m2, delta * delta);
  __syncthreads();
  y[i] = delta * rsqrtf(m2 / cols + eps) * gamma[threadIdx.x] + beta[threadIdx.x];
}

extern "C" void layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows,
                          int cols, float eps) {
  layernorm_kernel<<<rows, cols>>>(x, gamma, beta, y, cols, eps);
}
