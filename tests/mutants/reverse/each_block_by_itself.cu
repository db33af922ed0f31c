// Fault: every block reverses its own 256 elements, and the blocks stay where they are.
#include <cuda_runtime.h>

__global__ void reverse_kernel(float* x, int n) {
  __shared__ float tile[256];
  const int begin = blockIdx.x * 256, tid = threadIdx.x;
  const int length = min(256, n - begin);
  if (tid < length) tile[tid] = x[begin + tid];
  __syncthreads();
  if (tid < length) x[begin + tid] = tile[length - 1 - tid];
}

extern "C" void reverse(float* x, int n) {
  reverse_kernel<<<(n + 255) / 256, 256>>>(x, n);
}
