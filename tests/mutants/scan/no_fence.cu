// Fault: no fence between the sum and the flag that announces it.
#include <cuda_runtime.h>

__device__ volatile int ready[4096];
__device__ float inclusive[4096];
__device__ unsigned next;

__global__ void scan_kernel(const float* x, float* y, int n) {
  __shared__ float sums[256];
  __shared__ float before;
  __shared__ int ticket;
  if (threadIdx.x == 0) ticket = atomicInc(&next, gridDim.x - 1);
  __syncthreads();
  const int tile = ticket;
  const int tid = threadIdx.x, i = tile * 256 + tid;
  sums[tid] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    const float lower = tid >= d ? sums[tid - d] : 0.0f;
    __syncthreads();
    sums[tid] += lower;
    __syncthreads();
  }
  if (tid == 0) {
    before = 0.0f;
    if (tile > 0) {
      while (ready[tile - 1] == 0) {
      }
      before = inclusive[tile - 1];
    }
    inclusive[tile] = before + sums[255];
    ready[tile] = 1;
  }
  __syncthreads();
  if (i < n) y[i] = before + sums[tid];
}

__global__ void reset() {
  ready[blockIdx.x * 256 + threadIdx.x] = 0;
}

extern "C" void scan(const float* x, float* y, int n) {
  reset<<<16, 256>>>();
  scan_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
