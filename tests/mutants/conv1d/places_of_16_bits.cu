// Fault: a thread counts its outputs in 16 bits and never comes to the end of a long row of them.
#include <cuda_runtime.h>

__global__ void conv1d_kernel(const float* x, const float* w, float* y, int outputs, int k) {
  for (unsigned short i = threadIdx.x; i < outputs; i += 256) {
    float sum = 0;
    for (int j = 0; j < k; ++j) sum += x[i + j] * w[j];
    y[i] = sum;
  }
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  conv1d_kernel<<<1, 256>>>(x, w, y, n - k + 1, k);
}
