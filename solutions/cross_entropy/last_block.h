#pragma once
// Finds the block that finishes last, which may then read what all others have stored.

#include <cuda_runtime.h>

// Thread 0 of each block stores its part first; then all threads call this, once. True in all
// threads of the last block. *finished is 0 before the launch, and again after it: atomicInc wraps.
__device__ inline bool is_last_block(unsigned* finished) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    __threadfence();  // what this thread stored is visible before the count
    is_last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) __threadfence();  // nothing is read before the count
  return is_last;
}
