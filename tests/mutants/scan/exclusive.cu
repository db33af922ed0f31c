// Fault: the exclusive scan: y[i] lacks x[i].
#include <cuda_runtime.h>

__global__ void scan_kernel(const float* x, float* y, int n) {
  float carry = 0.0f;
  for (int first = 0; first < n; first += 32) {
    const int i = first + threadIdx.x;
    const float own = i < n ? x[i] : 0.0f;
    float sum = own;
    for (int d = 1; d < 32; d *= 2) {
      const float lower = __shfl_up_sync(~0u, sum, d);
      if (threadIdx.x >= d) sum += lower;
    }
    if (i < n) y[i] = carry + sum - own;
    carry += __shfl_sync(~0u, sum, 31);
  }
}

extern "C" void scan(const float* x, float* y, int n) {
  scan_kernel<<<1, 32>>>(x, y, n);
}
