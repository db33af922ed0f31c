#pragma once
// Rung 2's kernel, which rung 3 uses for matrices that do not fit into shared memory.

#include <kata/kata.h>

constexpr int SIDE = 16;  // a block has SIDE x SIDE threads

inline __global__ void __launch_bounds__(SIDE* SIDE)
    right_looking_kernel(const float* A, float* L, int n) {
  A += static_cast<size_t>(blockIdx.x) * n * n;
  L += static_cast<size_t>(blockIdx.x) * n * n;
  const int tx = threadIdx.x, ty = threadIdx.y;
  for (int i = ty; i < n; i += SIDE) {
    for (int k = tx; k < n; k += SIDE) L[i * n + k] = k <= i ? A[i * n + k] : 0.0f;
  }
  __syncthreads();
  for (int j = 0; j < n; ++j) {
    const float root = sqrtf(L[j * n + j]);
    __syncthreads();  // all have read the pivot
    const float inverse = 1.0f / root;
    for (int i = j + ty * SIDE + tx; i < n; i += SIDE * SIDE) {
      L[i * n + j] = i == j ? root : L[i * n + j] * inverse;
    }
    __syncthreads();
    for (int i = j + 1 + ty; i < n; i += SIDE) {
      const float of_row = L[i * n + j];
      for (int k = j + 1 + tx; k <= i; k += SIDE) L[i * n + k] -= of_row * L[k * n + j];
    }
    __syncthreads();
  }
}

inline void launch_right_looking(const float* A, float* L, int batch, int n) {
  right_looking_kernel<<<batch, dim3(SIDE, SIDE)>>>(A, L, n);
}
