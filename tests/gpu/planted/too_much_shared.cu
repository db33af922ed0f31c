// More dynamic shared memory than any block may have: the launch is refused.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = x[0];
  if (threadIdx.x < n) y[threadIdx.x] = tile[threadIdx.x];
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<1, 256, 1 << 20>>>(x, y, n);
}
