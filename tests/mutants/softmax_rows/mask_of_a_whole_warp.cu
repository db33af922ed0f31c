// Fault: the columns of a row that fits a warp are the bits of (1 << cols) - 1: none for 32.
#include <cuda_runtime.h>

__global__ void softmax_of_a_warp(const float* x, float* y, int cols) {
  const int lane = threadIdx.x, i = blockIdx.x * cols + lane;
  const unsigned mine = (1u << (cols % 32)) - 1;
  const bool inside = mine >> lane & 1;
  float best = inside ? x[i] : -INFINITY;
  for (int o = 16; o > 0; o /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, o));
  float sum = inside ? expf(x[i] - best) : 0.0f;
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (inside) y[i] = expf(x[i] - best) / sum;
}

__global__ void softmax_of_a_row(const float* x, float* y, int cols) {
  const float* in = x + blockIdx.x * cols;
  float best = -INFINITY, sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += 32) best = fmaxf(best, in[col]);
  for (int o = 16; o > 0; o /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, o));
  for (int col = threadIdx.x; col < cols; col += 32) sum += expf(in[col] - best);
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  for (int col = threadIdx.x; col < cols; col += 32) {
    y[blockIdx.x * cols + col] = expf(in[col] - best) / sum;
  }
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  if (cols <= 32) {
    softmax_of_a_warp<<<rows, 32>>>(x, y, cols);
  } else {
    softmax_of_a_row<<<rows, 32>>>(x, y, cols);
  }
}
