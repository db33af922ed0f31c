// Loops that nvcc unrolls by four with a loop for the rest, which comes first, and loops that it
// leaves as they are: tests/nvcc looks at their PTX. What decides is whether the compiler can tell
// how often a loop runs without a division: the step has to be a constant.
#include <cuda_runtime.h>

// Of each kernel, loads of global memory in its PTX: 5 if the loop is unrolled by four, else 1.

extern "C" __global__ void sum_by_four(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) sum += x[i];
  y[threadIdx.x] = sum;
}
extern "C" __global__ void while_by_four(const float* x, float* y, int n) {
  float sum = 0;
  int i = threadIdx.x;
  while (i < n) {
    sum += x[i];
    i += 32;
  }
  y[threadIdx.x] = sum;
}
extern "C" __global__ void exponentials_by_four(const float* x, float* y, int n) {
  for (int i = threadIdx.x; i < n; i += 1024) y[i] = expf(x[i]);
}
extern "C" __global__ void branch_by_four(const float* x, float* y, int n) {
  float max = 0, sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) {
    const float value = x[i];
    if (value > max) {
      sum = sum * __expf(max - value) + 1;
      max = value;
    } else {
      sum += __expf(value - max);
    }
  }
  y[threadIdx.x] = max + sum;
}
extern "C" __global__ void shuffle_by_four(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = 0; i < n; i += 32) sum += __shfl_xor_sync(~0u, x[i + threadIdx.x], 1);
  y[threadIdx.x] = sum;
}
extern "C" __global__ void block_stride_as_it_is(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];
  y[threadIdx.x] = sum;
}
extern "C" __global__ void grid_stride_as_it_is(const float* x, float* y, int n) {
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) y[i] = x[i];
}
extern "C" __global__ void break_as_it_is(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) {
    const float value = x[i];
    if (value < 0) break;
    sum += value;
  }
  y[threadIdx.x] = sum;
}
