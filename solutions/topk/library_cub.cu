// CUB, NVIDIA's library of device-wide algorithms: cub::DeviceRadixSort::SortKeysDescending of all
// keys, then a copy of the first k. CUB in CUDA 13.0 has no top-k.
#include <kata/kata.h>

#include <cub/cub.cuh>

#include <stdio.h>

#include "../common/scratch.h"

extern "C" void topk(const float* x, float* y, int n, int k) {
  static Scratch<char> scratch;
  static Scratch<float> sorted_scratch;
  float* sorted = sorted_scratch.get(n);
  size_t bytes = 0;
  cudaError_t status = cub::DeviceRadixSort::SortKeysDescending(nullptr, bytes, x, sorted, n);
  if (status == cudaSuccess) {
    status = cub::DeviceRadixSort::SortKeysDescending(scratch.get(bytes), bytes, x, sorted, n);
  }
  if (status == cudaSuccess) {
    status = cudaMemcpyAsync(y, sorted, k * sizeof(float), cudaMemcpyDeviceToDevice);
  }
  if (status != cudaSuccess) fprintf(stderr, "topk: CUB: %s\n", cudaGetErrorString(status));
}
