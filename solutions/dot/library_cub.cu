// CUB, NVIDIA's library of device-wide algorithms: cub::DeviceReduce::TransformReduce of the
// products.
#include <kata/kata.h>

#include <thrust/iterator/counting_iterator.h>
#include <cub/cub.cuh>

#include <stdio.h>

#include "../common/scratch.h"

struct Product {
  const float* a;
  const float* b;
  __device__ float operator()(int i) const { return a[i] * b[i]; }
};

cudaError_t dot_with_cub(void* memory, size_t& bytes, const float* a, const float* b, float* result,
                         int n) {
  return cub::DeviceReduce::TransformReduce(memory, bytes, thrust::counting_iterator<int>(0),
                                            result, n, cuda::std::plus<float>{}, Product{a, b},
                                            0.0f);
}

extern "C" void dot(const float* a, const float* b, float* result, int n) {
  static Scratch<char> scratch;
  size_t bytes = 0;
  cudaError_t status = dot_with_cub(nullptr, bytes, a, b, result, n);  // asks how much
  if (status == cudaSuccess) {
    status = dot_with_cub(scratch.get(bytes), bytes, a, b, result, n);
  }
  if (status != cudaSuccess) fprintf(stderr, "dot: CUB: %s\n", cudaGetErrorString(status));
}
