// Fault: a block per row with a thread per column: more than 1024 columns make no block.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* in, float* out) {
  out[threadIdx.x * gridDim.x + blockIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  transpose_kernel<<<rows, cols>>>(in, out);
}
