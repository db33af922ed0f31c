// Fault: float4 loads from rows of any length: misaligned unless cols is a multiple of 4.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const int col = 4 * (blockIdx.x * blockDim.x + threadIdx.x), row = blockIdx.y;
  if (col + 3 < cols) {
    const float4 v = *reinterpret_cast<const float4*>(&in[row * cols + col]);
    out[col * rows + row] = v.x;
    out[(col + 1) * rows + row] = v.y;
    out[(col + 2) * rows + row] = v.z;
    out[(col + 3) * rows + row] = v.w;
  } else {
    for (int k = col; k < cols; ++k) out[k * rows + row] = in[row * cols + k];
  }
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  transpose_kernel<<<dim3((cols + 127) / 128, rows), 32>>>(in, out, rows, cols);
}
