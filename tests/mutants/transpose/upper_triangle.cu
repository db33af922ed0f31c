// Fault: written for square matrices: pairs above the diagonal are swapped, the rest is not
// visited.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
  if (j >= rows || i >= cols || i < j) return;
  out[i * rows + j] = in[j * cols + i];
  if (i < rows && j < cols) out[j * rows + i] = in[i * cols + j];
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const dim3 grid((cols + 15) / 16, (rows + 15) / 16);
  transpose_kernel<<<grid, dim3(16, 16)>>>(in, out, rows, cols);
}
