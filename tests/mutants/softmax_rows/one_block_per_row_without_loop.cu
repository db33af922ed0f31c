// Fault: a block of 1024 threads per row, one element each: longer rows are cut off.
#include <cuda_runtime.h>

__global__ void softmax_rows_kernel(const float* x, float* y, int cols) {
  __shared__ float partial[1024];
  const int tid = threadIdx.x, i = blockIdx.x * cols + tid;
  const float mine = tid < cols ? x[i] : -INFINITY;
  partial[tid] = mine;
  __syncthreads();
  for (int step = 512; step > 0; step /= 2) {
    if (tid < step) partial[tid] = fmaxf(partial[tid], partial[tid + step]);
    __syncthreads();
  }
  const float e = tid < cols ? expf(mine - partial[0]) : 0.0f;
  __syncthreads();
  partial[tid] = e;
  __syncthreads();
  for (int step = 512; step > 0; step /= 2) {
    if (tid < step) partial[tid] += partial[tid + step];
    __syncthreads();
  }
  if (tid < cols) y[i] = e / partial[0];
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  softmax_rows_kernel<<<rows, 1024>>>(x, y, cols);
}
