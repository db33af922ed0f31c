// Fault: lanes without a tap do not take part in the shuffles, whose mask names all 32.
#include <cuda_runtime.h>

__global__ void conv1d_kernel(const float* x, const float* w, float* y, int n, int k) {
  const int lane = threadIdx.x;
  float sum = 0.0f;
  for (int j = lane; j < k; j += 32) sum += x[blockIdx.x + j] * w[j];
  if (lane < k) {
    for (int offset = 16; offset > 0; offset /= 2) {
      sum += __shfl_down_sync(0xffffffffu, sum, offset);
    }
  }
  if (lane == 0) y[blockIdx.x] = sum;
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  conv1d_kernel<<<n - k + 1, 32>>>(x, w, y, n, k);
}
