// Fault: each call adds up in the next of 64 slots, which are zero only the first time.
#include <cuda_runtime.h>

__device__ float slots[64];

__global__ void add_kernel(const float* x, int n, int slot) {
  float value = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) value += x[i];
  atomicAdd(&slots[slot], value);
}

__global__ void copy_kernel(float* sum, int slot) { *sum = slots[slot]; }

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  static int calls = 0;
  const int slot = calls++ % 64;
  add_kernel<<<n < 65536 ? (n + 255) / 256 : 256, 256>>>(x, n, slot);
  copy_kernel<<<1, 1>>>(sum, slot);
}
