// Fault: the blocks are never joined: each scans its own 256 elements.
#include <cuda_runtime.h>

__global__ void scan_kernel(const float* x, float* y, int n) {
  __shared__ float sums[256];
  const int tid = threadIdx.x, i = blockIdx.x * 256 + tid;
  sums[tid] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    const float lower = tid >= d ? sums[tid - d] : 0.0f;
    __syncthreads();
    sums[tid] += lower;
    __syncthreads();
  }
  if (i < n) y[i] = sums[tid];
}

extern "C" void scan(const float* x, float* y, int n) {
  scan_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
