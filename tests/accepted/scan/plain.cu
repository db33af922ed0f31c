// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void scan_tiles(const float* x, float* y, float* totals, int n) {
  __shared__ float buffer[2][256];
  const int tid = threadIdx.x, i = blockIdx.x * 256 + tid;
  int now = 0;
  buffer[0][tid] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    buffer[1 - now][tid] = buffer[now][tid] + (tid >= d ? buffer[now][tid - d] : 0.0f);
    now = 1 - now;
    __syncthreads();
  }
  if (i < n) y[i] = buffer[now][tid];
  if (tid == 255) totals[blockIdx.x] = buffer[now][tid];
}

__global__ void add_totals(float* y, const float* totals, int n) {
  const int i = (blockIdx.x + 1) * 256 + threadIdx.x;
  if (i < n) y[i] += totals[blockIdx.x];
}

extern "C" void scan(const float* x, float* y, int n) {
  const int blocks = (n + 255) / 256;
  float* totals;
  cudaMalloc(&totals, blocks * sizeof(float));
  scan_tiles<<<blocks, 256>>>(x, y, totals, n);
  if (blocks > 1) {
    scan(totals, totals, blocks);
    add_totals<<<blocks - 1, 256>>>(y, totals, n);
  }
  cudaFree(totals);
}
