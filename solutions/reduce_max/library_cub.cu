// CUB, NVIDIA's library of device-wide algorithms: cub::DeviceReduce::Max.
#include <kata/kata.h>

#include <cub/cub.cuh>

#include <stdio.h>

// Temporary storage, kept for the next call and grown when that needs more: the time of an
// allocation is not the time of a reduction.
struct Storage {
  void* memory = nullptr;
  size_t bytes = 0;
};

cudaError_t grow(Storage& storage, size_t bytes) {
  if (bytes <= storage.bytes) return cudaSuccess;
  cudaFree(storage.memory);
  storage = {};
  const cudaError_t status = cudaMalloc(&storage.memory, bytes);
  if (status == cudaSuccess) storage.bytes = bytes;
  return status;
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  static Storage storage;
  size_t bytes = 0;
  cudaError_t status = cub::DeviceReduce::Max(nullptr, bytes, x, max, n);  // asks how much
  if (status == cudaSuccess) status = grow(storage, bytes);
  if (status == cudaSuccess) {
    bytes = storage.bytes;
    status = cub::DeviceReduce::Max(storage.memory, bytes, x, max, n);
  }
  if (status != cudaSuccess) fprintf(stderr, "reduce_max: CUB: %s\n", cudaGetErrorString(status));
}
