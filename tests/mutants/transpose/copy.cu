// Fault: a copy, nothing is transposed.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  transpose_kernel<<<(rows * cols + 255) / 256, 256>>>(in, out, rows * cols);
}
