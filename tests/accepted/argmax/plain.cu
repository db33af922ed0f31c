// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__device__ float values[64];

__device__ int indices[64];

__device__ void keep_better(float& value, int& index, float other, int other_index) {
  if (other > value || (other == value && other_index < index)) value = other, index = other_index;
}

__global__ void block_best(const float* x, int n) {
  float value = -INFINITY;
  int index = INT_MAX;
  for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * 32)
    if (x[i] > value) value = x[i], index = i;
  for (int offset = 16; offset > 0; offset /= 2) {
    const float other = __shfl_down_sync(~0u, value, offset);
    const int other_index = __shfl_down_sync(~0u, index, offset);
    keep_better(value, index, other, other_index);
  }
  if (threadIdx.x == 0) values[blockIdx.x] = value, indices[blockIdx.x] = index;
}

__global__ void best_of_blocks(int* result, int blocks) {
  float value = values[0];
  int index = indices[0];
  for (int i = 1; i < blocks; ++i) keep_better(value, index, values[i], indices[i]);
  *result = index;
}

extern "C" void argmax(const float* x, int* index, int n) {
  const int blocks = min((n + 31) / 32, 64);
  block_best<<<blocks, 32>>>(x, n);
  best_of_blocks<<<1, 1>>>(index, blocks);
}
