// Fault: a warp for each row and eight warps a block, but at most 512 blocks.
#include <cuda_runtime.h>

__device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}

__global__ void layernorm_kernel(const float* x, const float* gamma, const float* beta, float* y,
                                 int rows, int cols, float eps) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* row_x = x + static_cast<size_t>(row) * cols;
  float sum = 0, squares = 0;
  for (int col = lane; col < cols; col += 32) sum += row_x[col];
  const float mean = warp_sum(sum) / cols;
  for (int col = lane; col < cols; col += 32)
    squares += (row_x[col] - mean) * (row_x[col] - mean);
  const float scale = rsqrtf(warp_sum(squares) / cols + eps);
  for (int col = lane; col < cols; col += 32)
    y[static_cast<size_t>(row) * cols + col] = (row_x[col] - mean) * scale * gamma[col] + beta[col];
}

extern "C" void layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows,
                          int cols, float eps) {
  const int blocks = (rows + 7) / 8;
  layernorm_kernel<<<blocks < 512 ? blocks : 512, 256>>>(x, gamma, beta, y, rows, cols, eps);
}
