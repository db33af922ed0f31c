// Fault: the sums overwrite the shared maxima while other threads still read the maximum.
#include <cuda_runtime.h>

__global__ void softmax_kernel(const float* x, float* y, int n) {
  __shared__ float partial[256];
  const int tid = threadIdx.x;
  float mine = -INFINITY;
  for (int i = tid; i < n; i += 256) mine = fmaxf(mine, x[i]);
  partial[tid] = mine;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (tid < step) partial[tid] = fmaxf(partial[tid], partial[tid + step]);
    __syncthreads();
  }
  const float best = partial[0];
  mine = 0.0f;
  for (int i = tid; i < n; i += 256) mine += expf(x[i] - best);
  partial[tid] = mine;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (tid < step) partial[tid] += partial[tid + step];
    __syncthreads();
  }
  for (int i = tid; i < n; i += 256) y[i] = expf(x[i] - best) / partial[0];
}

extern "C" void softmax(const float* x, float* y, int n) {
  softmax_kernel<<<1, 256>>>(x, y, n);
}
