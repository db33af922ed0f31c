// Fault: the path for rows of whole float4s covers whole tiles of 32 x 32 and forgets the rest.
#include <cuda_runtime.h>

__global__ void transpose_vectors(const float4* in, float* out, int rows, int cols) {
  const int vector = blockIdx.x * 8 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  const float4 four = in[row * (cols / 4) + vector];
  out[(4 * vector + 0) * rows + row] = four.x;
  out[(4 * vector + 1) * rows + row] = four.y;
  out[(4 * vector + 2) * rows + row] = four.z;
  out[(4 * vector + 3) * rows + row] = four.w;
}

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  if (rows % 4 == 0 && cols % 4 == 0) {
    transpose_vectors<<<dim3(cols / 32, rows / 32), dim3(8, 32)>>>(
        reinterpret_cast<const float4*>(in), out, rows, cols);
  } else {
    const dim3 grid((cols + 31) / 32, (rows + 7) / 8);
    transpose_kernel<<<grid, dim3(32, 8)>>>(in, out, rows, cols);
  }
}
