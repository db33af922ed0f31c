#pragma once
// The weights as a matrix of halves: matrix[row][k] = scale (q - 8).

#include <cuda_fp16.h>

constexpr int DEQUANTISE_THREADS = 256;

// One thread per word of eight weights.
__global__ void dequantise_kernel(const unsigned* W, const __half* scale, __half* matrix,
                                  size_t words) {
  const size_t i = static_cast<size_t>(blockIdx.x) * DEQUANTISE_THREADS + threadIdx.x;
  if (i >= words) return;
  const unsigned word = W[i];
  const float s = __half2float(scale[i / 16]);  // 16 words of 8 weights
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    const int q = static_cast<int>(word >> (4 * j) & 15) - 8;
    matrix[8 * i + j] = __float2half(s * q);
  }
}

inline void dequantise(const unsigned* W, const __half* scale, __half* matrix, int M, int K) {
  const size_t words = static_cast<size_t>(M) * (K / 8);
  const unsigned grid = (words - 1) / DEQUANTISE_THREADS + 1;
  dequantise_kernel<<<grid, DEQUANTISE_THREADS>>>(W, scale, matrix, words);
}
