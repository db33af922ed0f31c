// Faults in functions that kernels call: the line is the function's, and the note names who called
// it. `HERE kind name` is where plant_name has its one fault.
#include <cuda_runtime.h>

#include "filled.cuh"

__device__ __forceinline__ float at(const float* x, int i) {
  return x[i];  // HERE out_of_bounds called: called from line 14; only the first element past
}
__device__ __forceinline__ float next_to(const float* x, int i) {
  return at(x, i + 1);
}
__global__ void calls(const float* x, float* y) {
  y[threadIdx.x] = next_to(x, threadIdx.x);
}

extern "C" void plant_called() { calls<<<1, 32>>>(filled(32), filled(32)); }
