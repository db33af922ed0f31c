// Fault: the maximum is not subtracted before exp.
#include <cuda_runtime.h>

__global__ void softmax_kernel(const float* x, float* y, int n) {
  __shared__ float partial[256];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 256) sum += expf(x[i]);
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += 256) y[i] = expf(x[i]) / partial[0];
}

extern "C" void softmax(const float* x, float* y, int n) {
  softmax_kernel<<<1, 256>>>(x, y, n);
}
