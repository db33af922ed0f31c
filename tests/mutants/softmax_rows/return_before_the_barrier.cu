// Fault: warps whose row is past the end return, and the others wait at a barrier.
#include <cuda_runtime.h>

__global__ void softmax_rows_kernel(const float* x, float* y, int rows, int cols) {
  __shared__ float best[4], sum[4];
  const int lane = threadIdx.x, warp = threadIdx.y, row = blockIdx.x * 4 + warp;
  if (row >= rows) return;
  float mine = -INFINITY;
  for (int col = lane; col < cols; col += 32) mine = fmaxf(mine, x[row * cols + col]);
  for (int o = 16; o > 0; o /= 2) mine = fmaxf(mine, __shfl_down_sync(~0u, mine, o));
  if (lane == 0) best[warp] = mine;
  __syncthreads();
  mine = 0.0f;
  for (int col = lane; col < cols; col += 32) mine += expf(x[row * cols + col] - best[warp]);
  for (int o = 16; o > 0; o /= 2) mine += __shfl_down_sync(~0u, mine, o);
  if (lane == 0) sum[warp] = mine;
  __syncthreads();
  for (int col = lane; col < cols; col += 32) {
    y[row * cols + col] = expf(x[row * cols + col] - best[warp]) / sum[warp];
  }
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  softmax_rows_kernel<<<(rows + 3) / 4, dim3(32, 4)>>>(x, y, rows, cols);
}
