// CUB, NVIDIA's library of device-wide algorithms: cub::DeviceRadixSort::SortPairs.
#include <kata/kata.h>

#include <cub/cub.cuh>

#include <stdio.h>

#include "../common/scratch.h"

extern "C" void sort_pairs(const unsigned* keys_in, const int* values_in, unsigned* keys_out,
                           int* values_out, int n) {
  static Scratch<char> scratch;
  size_t bytes = 0;
  cudaError_t status = cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys_in, keys_out,
                                                       values_in, values_out, n);
  if (status == cudaSuccess) {
    status = cub::DeviceRadixSort::SortPairs(scratch.get(bytes), bytes, keys_in, keys_out,
                                             values_in, values_out, n);
  }
  if (status != cudaSuccess) fprintf(stderr, "sort_pairs: CUB: %s\n", cudaGetErrorString(status));
}
