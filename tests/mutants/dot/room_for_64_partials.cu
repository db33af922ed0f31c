// Fault: there is room for 64 partial sums, and more blocks than that write past it.
#include <cuda_runtime.h>

__device__ float partials[64];

__global__ void block_sums(const float* a, const float* b, int n) {
  __shared__ float sums[256];
  const int tid = threadIdx.x, i = blockIdx.x * 256 + tid;
  sums[tid] = i < n ? a[i] * b[i] : 0.0f;
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (tid < s) sums[tid] += sums[tid + s];
    __syncthreads();
  }
  if (tid == 0) partials[blockIdx.x] = sums[0];
}

__global__ void sum_of_sums(float* result, int blocks) {
  float value = 0.0f;
  for (int i = threadIdx.x; i < blocks; i += 32) value += partials[i];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  if (threadIdx.x == 0) *result = value;
}

extern "C" void dot(const float* a, const float* b, float* result, int n) {
  const int blocks = (n + 255) / 256;
  block_sums<<<blocks, 256>>>(a, b, n);
  sum_of_sums<<<1, 32>>>(result, blocks);
}
