// Fault: the total is stored one element past the shared array.
#include <cuda_runtime.h>

__global__ void scan_kernel(const float* x, float* y, int n) {
  __shared__ float sums[64];
  const int tid = threadIdx.x;
  float before = 0.0f;
  for (int first = 0; first < n; first += 64) {
    sums[tid] = first + tid < n ? x[first + tid] : 0.0f;
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
      const float lower = tid >= d ? sums[tid - d] : 0.0f;
      __syncthreads();
      sums[tid] += lower;
      if (tid == 63) sums[tid + 1] = sums[tid];
      __syncthreads();
    }
    if (first + tid < n) y[first + tid] = before + sums[tid];
    before += sums[63];
    __syncthreads();
  }
}

extern "C" void scan(const float* x, float* y, int n) {
  scan_kernel<<<1, 64>>>(x, y, n);
}
