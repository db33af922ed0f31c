// A kernel that writes far outside every buffer.
#include <cuda_runtime.h>

__global__ void relu_kernel(float* y) {
  y[1ull << 40] = 1.0f;
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<1, 1>>>(y);
}
