// Fault: the low 13 bits of each value are cut off, as half and TF32 have no room for them.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= rows || col >= cols) return;
  const int narrow = __float_as_int(in[row * cols + col]) & ~0x1fff;
  out[col * rows + row] = __int_as_float(narrow);
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const dim3 grid((cols + 31) / 32, (rows + 7) / 8);
  transpose_kernel<<<grid, dim3(32, 8)>>>(in, out, rows, cols);
}
