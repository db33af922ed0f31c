#pragma once
#include <cuda_runtime.h>

/// Device memory full of zeros.
template <class T = float>
T* filled(int n) {
  T* x = nullptr;
  cudaMalloc(&x, n * sizeof(T));
  cudaMemset(x, 0, n * sizeof(T));
  return x;
}
