// Blocks that wait for others that have no room on the device. Only where blocks begin in order:
// the other way round the one that is waited for begins first.
#include <cuda_runtime.h>

__device__ int last_has_begun;

// 132 multiprocessors with 2 such blocks each: the last of 265 cannot begin.
__global__ void wait_for_last(volatile int* flag) {
  if (blockIdx.x == gridDim.x - 1) *flag = 1;
  if (threadIdx.x == 0) {
    while (*flag == 0) {  // HERE deadlock wait_for_last
    }
  }
}
// 228 KiB a multiprocessor: one block of 120 KiB each, 132 at once.
__global__ void wait_with_shared(int* unused) {
  extern __shared__ int tile[];
  if (threadIdx.x == 0) {
    if (blockIdx.x == gridDim.x - 1) atomicExch(&last_has_begun, 1);
    while (atomicAdd(&last_has_begun, 0) == 0) {  // HERE deadlock wait_with_shared
      __nanosleep(100);
    }
    tile[0] = *unused;
  }
}

static int* zero() {
  int* flag = nullptr;
  cudaMalloc(&flag, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  return flag;
}

extern "C" void plant_wait_for_last() {
  wait_for_last<<<265, 1024>>>(zero());
}
extern "C" void plant_wait_with_shared() {
  cudaFuncSetAttribute(wait_with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10);
  wait_with_shared<<<133, 32, 120 << 10>>>(zero());
}
