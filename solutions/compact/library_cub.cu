// CUB, NVIDIA's library of device-wide algorithms: cub::DeviceSelect::If.
#include <kata/kata.h>

#include <cub/cub.cuh>

#include <stdio.h>

#include "../common/scratch.h"

struct IsPositive {
  __host__ __device__ bool operator()(float value) const { return value > 0.0f; }
};

extern "C" void compact(const float* x, float* y, int* count, int n) {
  static Scratch<char> scratch;
  size_t bytes = 0;
  cudaError_t status = cub::DeviceSelect::If(nullptr, bytes, x, y, count, n, IsPositive());
  if (status == cudaSuccess) {
    status = cub::DeviceSelect::If(scratch.get(bytes), bytes, x, y, count, n, IsPositive());
  }
  if (status != cudaSuccess) fprintf(stderr, "compact: CUB: %s\n", cudaGetErrorString(status));
}
