// Warpgroups whose four warps move their registers together.
#include <cuda_runtime.h>

#include "../planted/filled.cuh"

__global__ void __launch_bounds__(384) moves_registers(float* y) {
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  }
  y[threadIdx.x] = 1;
}

extern "C" void silent_moves_registers() { moves_registers<<<1, 384>>>(filled(384)); }
