// CUB, NVIDIA's library of device-wide algorithms: cub::DeviceRadixSort::SortKeys.
#include <kata/kata.h>

#include <cub/cub.cuh>

#include <stdio.h>

#include "../common/scratch.h"

extern "C" void radix_sort(const unsigned* in, unsigned* out, int n) {
  static Scratch<char> scratch;
  size_t bytes = 0;
  cudaError_t status = cub::DeviceRadixSort::SortKeys(nullptr, bytes, in, out, n);
  if (status == cudaSuccess) {
    status = cub::DeviceRadixSort::SortKeys(scratch.get(bytes), bytes, in, out, n);
  }
  if (status != cudaSuccess) fprintf(stderr, "radix_sort: CUB: %s\n", cudaGetErrorString(status));
}
