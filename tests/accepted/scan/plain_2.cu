// A plain kernel of one block. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void scan_kernel(const float* x, float* y, int n) {
  __shared__ float sums[128];
  const int tid = threadIdx.x;
  float before = 0.0f;
  for (int first = 0; first < n; first += 128) {
    sums[tid] = first + tid < n ? x[first + tid] : 0.0f;
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
      const float lower = tid >= d ? sums[tid - d] : 0.0f;
      __syncthreads();
      sums[tid] += lower;
      __syncthreads();
    }
    if (first + tid < n) y[first + tid] = before + sums[tid];
    before += sums[127];
    __syncthreads();
  }
}

extern "C" void scan(const float* x, float* y, int n) {
  scan_kernel<<<1, 128>>>(x, y, n);
}
