// CUB, NVIDIA's library of device-wide algorithms: cub::DeviceReduce::ArgMax. It also writes the
// value, to a scratch float.
#include <kata/kata.h>

#include <cub/cub.cuh>

#include <stdio.h>

#include "../common/scratch.h"

__device__ float largest;  // the value that belongs to the index

extern "C" void argmax(const float* x, int* index, int n) {
  static Scratch<char> scratch;
  float* value = nullptr;
  size_t bytes = 0;
  cudaError_t status = cudaGetSymbolAddress(reinterpret_cast<void**>(&value), largest);
  if (status == cudaSuccess) status = cub::DeviceReduce::ArgMax(nullptr, bytes, x, value, index, n);
  if (status == cudaSuccess) {
    status = cub::DeviceReduce::ArgMax(scratch.get(bytes), bytes, x, value, index, n);
  }
  if (status != cudaSuccess) fprintf(stderr, "argmax: CUB: %s\n", cudaGetErrorString(status));
}
