// Fault: arrays too short for a float4 go to a kernel that clamps only the first element.
#include <cuda_runtime.h>

__global__ void relu_short(const float* x, float* y) {
  *y = fmaxf(*x, 0.0f);
}

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) y[i] = fmaxf(x[i], 0);
}

extern "C" void relu(const float* x, float* y, int n) {
  if (n < 4) relu_short<<<1, 1>>>(x, y);
  if (n >= 4) relu_kernel<<<16, 256>>>(x, y, n);
}
