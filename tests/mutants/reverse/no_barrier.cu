// Fault: no barrier between filling the shared tiles and reading them from the other end.
#include <cuda_runtime.h>

__global__ void reverse_kernel(float* x, int n) {
  __shared__ float front[256], back[256];
  const int tid = threadIdx.x, begin = blockIdx.x * 256;
  const int length = min(256, n / 2 - begin);
  if (tid < length) {
    front[tid] = x[begin + tid];
    back[tid] = x[n - begin - length + tid];
    x[begin + tid] = back[length - 1 - tid];
    x[n - begin - length + tid] = front[length - 1 - tid];
  }
}

extern "C" void reverse(float* x, int n) {
  if (n > 1) reverse_kernel<<<(n / 2 + 255) / 256, 256>>>(x, n);
}
