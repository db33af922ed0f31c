// Fault: from the second long input on, blocks add to the sum without an atomic.
#include <cuda_runtime.h>

__global__ void sum_kernel(const float* x, float* sum, int n, bool atomic) {
  float value = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) value += x[i];
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  if (threadIdx.x % 32 > 0) return;
  if (atomic) {
    atomicAdd(sum, value);
  } else {
    *sum += value;
  }
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  static int calls = 0;
  const bool atomic = n <= 100000 || ++calls == 1;
  cudaMemsetAsync(sum, 0, sizeof(float));
  sum_kernel<<<n < 65536 ? (n + 255) / 256 : 256, 256>>>(x, sum, n, atomic);
}
