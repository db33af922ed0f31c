// One thread adds up everything, with the error of each addition carried along.
#include <cuda_runtime.h>

__global__ void dot_kernel(const float* a, const float* b, float* result, int n) {
  float sum = 0.0f, lost = 0.0f;
  for (int i = 0; i < n; ++i) {
    const float term = __fmaf_rn(a[i], b[i], -lost);
    const float next = __fadd_rn(sum, term);
    lost = __fsub_rn(__fsub_rn(next, sum), term);
    sum = next;
  }
  *result = sum;
}

extern "C" void dot(const float* a, const float* b, float* result, int n) {
  dot_kernel<<<1, 1>>>(a, b, result, n);
}
