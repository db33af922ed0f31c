// CUB, NVIDIA's library of device-wide algorithms: cub::DeviceScan::InclusiveSum.
#include <kata/kata.h>

#include <cub/cub.cuh>

#include <stdio.h>

#include "../common/scratch.h"

extern "C" void scan(const float* x, float* y, int n) {
  static Scratch<char> scratch;
  size_t bytes = 0;
  cudaError_t status = cub::DeviceScan::InclusiveSum(nullptr, bytes, x, y, n);  // asks how much
  if (status == cudaSuccess) {
    status = cub::DeviceScan::InclusiveSum(scratch.get(bytes), bytes, x, y, n);
  }
  if (status != cudaSuccess) fprintf(stderr, "scan: CUB: %s\n", cudaGetErrorString(status));
}
