// Two passes over x: the maximum by integer atomics, then the smallest index that has it.
#include <cuda_runtime.h>

__device__ int most;  // the maximum's bits, in the order of signed integers

__device__ int ordered(float value) {
  const int bits = __float_as_int(value + 0.0f);
  return bits >= 0 ? bits : bits ^ 0x7fffffff;
}

__global__ void start(int* index) {
  most = INT_MIN;
  *index = INT_MAX;
}

__global__ void find_maximum(const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(&most, ordered(x[i]));
}

__global__ void find_index(const float* x, int* index, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && ordered(x[i]) == most) atomicMin(index, i);
}

extern "C" void argmax(const float* x, int* index, int n) {
  start<<<1, 1>>>(index);
  find_maximum<<<(n + 127) / 128, 128>>>(x, n);
  find_index<<<(n + 127) / 128, 128>>>(x, index, n);
}
