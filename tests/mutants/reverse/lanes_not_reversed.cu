// Fault: the float4s change places, but the four elements inside keep their order.
#include <cuda_runtime.h>

__global__ void swap_vectors(float4* x4, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count / 2) return;
  const float4 front = x4[i];
  x4[i] = x4[count - 1 - i];
  x4[count - 1 - i] = front;
}

__global__ void swap_elements(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  const float front = x[i];
  x[i] = x[n - 1 - i];
  x[n - 1 - i] = front;
}

extern "C" void reverse(float* x, int n) {
  if (n % 4 == 0) {
    swap_vectors<<<n / 2048 + 1, 256>>>((float4*)x, n / 4);
  } else {
    swap_elements<<<n / 512 + 1, 256>>>(x, n);
  }
}
