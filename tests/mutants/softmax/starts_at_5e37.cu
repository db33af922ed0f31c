// Fault: the maximum starts at -5e37, and all elements may be lower.
#include <cuda_runtime.h>

__global__ void softmax_kernel(const float* x, float* y, int n) {
  __shared__ float slots[256];
  const int tid = threadIdx.x;
  float max = -5e37f;
  for (int i = tid; i < n; i += 256) max = fmaxf(max, x[i]);
  slots[tid] = max;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (tid < step) slots[tid] = fmaxf(slots[tid], slots[tid + step]);
    __syncthreads();
  }
  max = slots[0];
  __syncthreads();
  float sum = 0;
  for (int i = tid; i < n; i += 256) sum += expf(x[i] - max);
  slots[tid] = sum;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (tid < step) slots[tid] += slots[tid + step];
    __syncthreads();
  }
  for (int i = tid; i < n; i += 256) y[i] = expf(x[i] - max) / slots[0];
}

extern "C" void softmax(const float* x, float* y, int n) {
  softmax_kernel<<<1, 256>>>(x, y, n);
}
