// Statements that nvcc predicates, and statements that it branches round; predicates_test.cpp has
// what eight warps count. Only the first of them needs the statements.
#include <cuda_runtime.h>

constexpr int THREADS = 256;

__device__ void fill(float* tile, const float* x) {
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
}

__global__ void tree_step(const float* x, float* y, int n) {
  __shared__ float tile[THREADS];
  fill(tile, x);
  const int t = threadIdx.x;
  if (t < n) tile[t] += tile[t + n];
  __syncthreads();
  y[t] = tile[t];
}
__global__ void long_statement(const float* x, float* y, int n) {
  __shared__ float tile[THREADS];
  fill(tile, x);
  const int t = threadIdx.x;
  if (t < n) {
    float f = tile[t + n];
    f = f + f * f;
    f = f + f * f;
    f = f + f * f;
    f = f + f * f;
    f = f + f * f;
    f = f + f * f;
    f = f + f * f;
    tile[t] = f;
  }
  __syncthreads();
  y[t] = tile[t];
}
__global__ void load_or_zero(const float* x, float* y, int n) {
  __shared__ float tile[THREADS];
  fill(tile, x);
  const int t = threadIdx.x;
  const float f = t < n ? tile[t + n] : 0.f;
  y[t] = f + 1.f;
}
__global__ void either_store(const float* x, float* y, int n) {
  __shared__ float tile[THREADS];
  const int t = threadIdx.x;
  if (t < n)
    tile[t] = x[t];
  else
    tile[t] = 0;
  __syncthreads();
  y[t] = tile[t];
}
__global__ void one_store_in_a_loop(const float* x, float* y, int n) {
  __shared__ float tile[THREADS];
  const int t = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 32) {
    if (t + k < n)
      tile[t] = x[t + k];
    else
      tile[t] = 0;
    __syncthreads();
    sum += tile[t ^ 1];
    __syncthreads();
  }
  y[t] = sum;
}
__global__ void last_statement(const float* x, float* y, int n) {
  __shared__ float tile[THREADS];
  fill(tile, x);
  const int t = threadIdx.x;
  if (t < n) y[t] = tile[t + n];
}

extern "C" int launch_all() {
  float *x, *y;
  cudaMalloc(&x, THREADS * sizeof(float));
  cudaMalloc(&y, THREADS * sizeof(float));
  cudaMemset(x, 0, THREADS * sizeof(float));
  tree_step<<<1, THREADS>>>(x, y, 32);
  long_statement<<<1, THREADS>>>(x, y, 32);
  load_or_zero<<<1, THREADS>>>(x, y, 32);
  either_store<<<1, THREADS>>>(x, y, 32);
  one_store_in_a_loop<<<1, THREADS>>>(x, y, 32);
  last_statement<<<1, THREADS>>>(x, y, 32);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
  return error;
}
