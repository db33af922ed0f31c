// Fault: the sums are kept in half precision.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void scan_kernel(const float* x, float* y, int n) {
  __half sum = __float2half(0.0f);
  for (int i = 0; i < n; ++i) {
    sum = __hadd(sum, __float2half(x[i]));
    y[i] = __half2float(sum);
  }
}

extern "C" void scan(const float* x, float* y, int n) {
  scan_kernel<<<1, 1>>>(x, y, n);
}
