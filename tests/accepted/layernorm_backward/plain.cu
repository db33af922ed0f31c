// A plain kernel: a warp per row, which adds its row to dgamma and dbeta by atomics. faults.toml
// plants mistakes in it.
#include <cuda_runtime.h>

__device__ float warp_sum(float value) {
  for (int o = 16; o > 0; o /= 2) value += __shfl_xor_sync(~0u, value, o);
  return value;
}

__global__ void gradient_kernel(const float* x, const float* gamma, const float* dy, float* dx,
                                float* dgamma, float* dbeta, int rows, int cols, float eps) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const size_t first = static_cast<size_t>(row) * cols;
  float sum = 0.0f, m2 = 0.0f, sum_g = 0.0f, sum_gxh = 0.0f;
  for (int col = threadIdx.x; col < cols; col += 32) sum += x[first + col];
  const float mean = warp_sum(sum) / cols;
  for (int col = threadIdx.x; col < cols; col += 32) {
    m2 += (x[first + col] - mean) * (x[first + col] - mean);
  }
  const float inverse = rsqrtf(warp_sum(m2) / cols + eps);
  for (int col = threadIdx.x; col < cols; col += 32) {
    const float xh = (x[first + col] - mean) * inverse;
    const float g = gamma[col] * dy[first + col];
    sum_g += g;
    sum_gxh += g * xh;
  }
  const float mean_g = warp_sum(sum_g) / cols;
  const float mean_gxh = warp_sum(sum_gxh) / cols;
  for (int col = threadIdx.x; col < cols; col += 32) {
    const float xh = (x[first + col] - mean) * inverse;
    const float g = gamma[col] * dy[first + col];
    dx[first + col] = (g - mean_g - xh * mean_gxh) * inverse;
    atomicAdd(&dgamma[col], dy[first + col] * xh);
    atomicAdd(&dbeta[col], dy[first + col]);
  }
}

extern "C" void layernorm_backward(const float* x, const float* gamma, const float* dy, float* dx,
                                   float* dgamma, float* dbeta, int rows, int cols, float eps) {
  cudaMemsetAsync(dgamma, 0, cols * sizeof(float));
  cudaMemsetAsync(dbeta, 0, cols * sizeof(float));
  gradient_kernel<<<(rows + 3) / 4, dim3(32, 4)>>>(x, gamma, dy, dx, dgamma, dbeta, rows, cols,
                                                   eps);
}
