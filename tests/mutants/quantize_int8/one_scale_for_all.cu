// Fault: one scale for the whole matrix instead of one per row.
#include <cuda_runtime.h>

__device__ unsigned most_bits;

__global__ void maximum_kernel(const float* x, size_t n) {
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  if (i < n) atomicMax(&most_bits, __float_as_uint(fabsf(x[i])));
}

__global__ void quantize_kernel(const float* x, signed char* q, float* scale, int cols, size_t n) {
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  const float most = __uint_as_float(most_bits);
  const float s = most > 0.0f ? most / 127.0f : 1.0f;
  q[i] = rintf(x[i] / s);
  if (i % cols == 0) scale[i / cols] = s;
}

extern "C" void quantize_int8(const float* x, signed char* q, float* scale, int rows, int cols) {
  const size_t n = static_cast<size_t>(rows) * cols;
  const int grid = (n + 255) / 256;
  const unsigned zero = 0;
  cudaMemcpyToSymbol(most_bits, &zero, sizeof(zero));
  maximum_kernel<<<grid, 256>>>(x, n);
  quantize_kernel<<<grid, 256>>>(x, q, scale, cols, n);
}
