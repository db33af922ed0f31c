// Two kernels: atomicMax on the bits of |x| in scale itself, then a thread per element.
#include <cuda_runtime.h>

__global__ void maximum_kernel(const float* x, float* scale, int cols, size_t n) {
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  if (i < n) atomicMax(reinterpret_cast<int*>(scale) + i / cols, __float_as_int(fabsf(x[i])));
}

__global__ void quantize_kernel(const float* x, signed char* q, const float* scale, int cols,
                                size_t n) {
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  const float most = scale[i / cols];
  q[i] = most == 0.0f ? 0 : __float2int_rn(x[i] / (most * (1.0f / 127.0f)));
}

__global__ void scale_kernel(float* scale, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) scale[row] = scale[row] == 0.0f ? 1.0f : scale[row] * (1.0f / 127.0f);
}

extern "C" void quantize_int8(const float* x, signed char* q, float* scale, int rows, int cols) {
  const size_t n = static_cast<size_t>(rows) * cols;
  const int grid = (n + 127) / 128;
  cudaMemsetAsync(scale, 0, rows * sizeof(float));
  maximum_kernel<<<grid, 128>>>(x, scale, cols, n);
  quantize_kernel<<<grid, 128>>>(x, q, scale, cols, n);
  scale_kernel<<<(rows + 127) / 128, 128>>>(scale, rows);
}
