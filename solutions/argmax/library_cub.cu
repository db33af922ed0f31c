// CUB, NVIDIA's library of device-wide algorithms: cub::DeviceReduce::ArgMax, whose value goes to a
// scratch float.
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

__device__ float largest;  // the value that belongs to the index

extern "C" void argmax(const float* x, int* index, int n) {
  static Storage storage;
  float* value = nullptr;
  size_t bytes = 0;
  cudaError_t status = cudaGetSymbolAddress(reinterpret_cast<void**>(&value), largest);
  if (status == cudaSuccess) status = cub::DeviceReduce::ArgMax(nullptr, bytes, x, value, index, n);
  if (status == cudaSuccess) status = grow(storage, bytes);
  if (status == cudaSuccess) {
    bytes = storage.bytes;
    status = cub::DeviceReduce::ArgMax(storage.memory, bytes, x, value, index, n);
  }
  if (status != cudaSuccess) fprintf(stderr, "argmax: CUB: %s\n", cudaGetErrorString(status));
}
