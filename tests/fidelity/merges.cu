// Neighbours in shared memory: what ptxas makes one access of, and what it leaves alone.
// nvcc_merges.csv has what it did; each kernel's threads do all that is in it.
#include <cuda_runtime.h>

constexpr int THREADS = 256;

template <class T>
__device__ void fill(T* tile, const T* x) {
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
}

__global__ void load_pair(const float* x, float* y) {
  __shared__ __align__(16) float tile[THREADS];
  fill(tile, x);
  const float* p = tile + 2 * (threadIdx.x % 64);
  y[threadIdx.x] = p[0] + p[1];
}
__global__ void load_four(const float* x, float* y) {
  __shared__ __align__(16) float tile[THREADS];
  fill(tile, x);
  const float* p = tile + 4 * (threadIdx.x % 32);
  y[threadIdx.x] = p[0] + p[1] + p[2] + p[3];
}
__global__ void load_three(const float* x, float* y) {
  __shared__ __align__(16) float tile[THREADS];
  fill(tile, x);
  const float* p = tile + 4 * (threadIdx.x % 32);
  y[threadIdx.x] = p[0] + p[1] + p[2];
}
__global__ void load_four_shorts(const short* x, short* y) {
  __shared__ __align__(16) short tile[THREADS];
  fill(tile, x);
  const short* p = tile + 4 * (threadIdx.x % 32);
  y[threadIdx.x] = p[0] + p[1] + p[2] + p[3];
}
__global__ void load_across_pieces(const float* x, float* y) {
  __shared__ __align__(16) float tile[THREADS];
  fill(tile, x);
  const float* p = tile + 2 * (threadIdx.x % 64);
  y[threadIdx.x] = p[1] + p[2];
}
__global__ void load_unknown_alignment(const float* x, float* y) {
  __shared__ __align__(16) float tile[THREADS];
  fill(tile, x);
  const float* p = tile + threadIdx.x % 128;
  y[threadIdx.x] = p[0] + p[1];
}
// All lanes of a warp read the same row: it is aligned in every second warp.
__global__ void load_padded_rows(const float* x, float* y) {
  __shared__ __align__(16) float tile[THREADS / 32][33];
  tile[threadIdx.x / 32][threadIdx.x % 32] = x[threadIdx.x];
  __syncthreads();
  const float* row = tile[threadIdx.x / 32];
  y[threadIdx.x] = row[0] + row[1];
}
// nvcc unrolls the loop as a whole without a pragma: 8 loads of a row, 32 of a column.
__global__ void load_two_tiles(const float* x, float* y) {
  __shared__ __align__(16) float a[THREADS / 32][32], b[32][32];
  const int row = threadIdx.x / 32, col = threadIdx.x % 32;
  a[row][col] = x[threadIdx.x];
  for (int i = 0; i < 32; i += THREADS / 32) b[row + i][col] = x[threadIdx.x + i];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += a[row][k] * b[k][col];
  y[threadIdx.x] = sum;
}
__global__ void load_volatile(const float* x, float* y) {
  __shared__ __align__(16) float tile[THREADS];
  fill(tile, x);
  const volatile float* p = tile + 2 * (threadIdx.x % 64);
  y[threadIdx.x] = p[0] + p[1];
}
__global__ void load_with_store_between(const float* x, float* y, int n) {
  __shared__ __align__(16) float tile[THREADS];
  fill(tile, x);
  const float* p = tile + 2 * (threadIdx.x % 64);
  const float first = p[0];
  tile[n] = 1;
  y[threadIdx.x] = first + p[1];
}
__global__ void store_pair(const float* x, float* y) {
  __shared__ __align__(16) float tile[2 * THREADS];
  tile[2 * threadIdx.x] = x[threadIdx.x];
  tile[2 * threadIdx.x + 1] = x[threadIdx.x + THREADS];
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x];
}
__global__ void store_three(const float* x, float* y) {
  __shared__ __align__(16) float tile[4 * THREADS];
  tile[4 * threadIdx.x] = x[threadIdx.x];
  tile[4 * threadIdx.x + 1] = x[threadIdx.x + THREADS];
  tile[4 * threadIdx.x + 2] = x[threadIdx.x + 2 * THREADS];
  __syncthreads();
  y[threadIdx.x] = tile[4 * threadIdx.x];
}

extern "C" int launch_all() {
  float *x, *y;
  cudaMalloc(&x, 4 * THREADS * sizeof(float));
  cudaMalloc(&y, 4 * THREADS * sizeof(float));
  cudaMemset(x, 0, 4 * THREADS * sizeof(float));
  load_pair<<<1, THREADS>>>(x, y);
  load_four<<<1, THREADS>>>(x, y);
  load_three<<<1, THREADS>>>(x, y);
  load_four_shorts<<<1, THREADS>>>(reinterpret_cast<short*>(x), reinterpret_cast<short*>(y));
  load_across_pieces<<<1, THREADS>>>(x, y);
  load_unknown_alignment<<<1, THREADS>>>(x, y);
  load_padded_rows<<<1, THREADS>>>(x, y);
  load_two_tiles<<<1, THREADS>>>(x, y);
  load_volatile<<<1, THREADS>>>(x, y);
  load_with_store_between<<<1, THREADS>>>(x, y, 200);
  store_pair<<<1, THREADS>>>(x, y);
  store_three<<<1, THREADS>>>(x, y);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
  return error;
}
