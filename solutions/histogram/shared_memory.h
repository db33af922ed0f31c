#pragma once
// The bytes of shared memory that one block may use after cudaFuncSetAttribute: 227 KiB on an H200.
// Without that call the limit is 48 KiB.

#include <cuda_runtime.h>

inline int largest_shared_memory() {
  static const int bytes = [] {
    int device = 0;
    int most = 48 * 1024;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    return most;
  }();
  return bytes;
}
