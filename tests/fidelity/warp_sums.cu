// What the warps of a block have left, added up in the two ways that people write.
#include <cuda_runtime.h>

constexpr int THREADS = 256, WARPS = THREADS / 32;

__global__ void first_thread_adds(const float* x, float* y) {
  __shared__ float sums[WARPS];
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int w = 0; w < WARPS; ++w) total += sums[w];
    y[blockIdx.x] = total;
  }
}

__global__ void every_thread_compares(const float* x, float* y) {
  __shared__ float largest[WARPS];
  if (threadIdx.x % 32 == 0) largest[threadIdx.x / 32] = x[threadIdx.x];
  __syncthreads();
  float all = largest[0];
#pragma unroll
  for (int w = 1; w < WARPS; ++w) all = fmaxf(all, largest[w]);
  y[threadIdx.x] = all;
}

extern "C" int launch_all() {
  float *x, *y;
  cudaMalloc(&x, THREADS * sizeof(float));
  cudaMalloc(&y, THREADS * sizeof(float));
  cudaMemset(x, 0, THREADS * sizeof(float));
  first_thread_adds<<<1, THREADS>>>(x, y);
  every_thread_compares<<<1, THREADS>>>(x, y);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
  return error;
}
