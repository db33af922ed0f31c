// Fault: -0 + 0 is 0: the copy adds to an accumulator.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 16 + threadIdx.x;
  for (int row = blockIdx.y * 16 + threadIdx.y; row < rows; row += gridDim.y * 16) {
    float sum = 0;
    if (col < cols) sum += in[(size_t)row * cols + col];
    if (col < cols) out[(size_t)col * rows + row] = sum;
  }
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const int tiles = (rows + 15) / 16;
  transpose_kernel<<<dim3((cols + 15) / 16, tiles < 1024 ? tiles : 1024), dim3(16, 16)>>>(
      in, out, rows, cols);
}
