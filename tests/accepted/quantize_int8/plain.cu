// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void quantize_kernel(const float* x, signed char* q, float* scale, int rows, int cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* in = x + static_cast<size_t>(row) * cols;
  signed char* out = q + static_cast<size_t>(row) * cols;
  float most = 0.0f;
  for (int col = threadIdx.x; col < cols; col += 32) most = fmaxf(most, fabsf(in[col]));
  for (int o = 16; o > 0; o /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, o));
  const float s = most > 0.0f ? most / 127.0f : 1.0f;
  if (threadIdx.x == 0) scale[row] = s;
  for (int col = threadIdx.x; col < cols; col += 32) out[col] = rintf(in[col] / s);
}

extern "C" void quantize_int8(const float* x, signed char* q, float* scale, int rows, int cols) {
  quantize_kernel<<<(rows + 3) / 4, dim3(32, 4)>>>(x, q, scale, rows, cols);
}
