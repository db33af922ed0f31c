// Fault: no barrier between reading the shared maximum and overwriting it with the sums.
#include <cuda_runtime.h>

__global__ void softmax_rows_kernel(const float* x, float* y, int cols) {
  __shared__ float partial[128];
  const int tid = threadIdx.x;
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  float mine = -INFINITY;
  for (int col = tid; col < cols; col += 128) mine = fmaxf(mine, x[col]);
  partial[tid] = mine;
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (tid < step) partial[tid] = fmaxf(partial[tid], partial[tid + step]);
    __syncthreads();
  }
  const float best = partial[0];
  mine = 0.0f;
  for (int col = tid; col < cols; col += 128) mine += expf(x[col] - best);
  partial[tid] = mine;
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (tid < step) partial[tid] += partial[tid + step];
    __syncthreads();
  }
  for (int col = tid; col < cols; col += 128) y[col] = expf(x[col] - best) / partial[0];
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  softmax_rows_kernel<<<rows, 128>>>(x, y, cols);
}
