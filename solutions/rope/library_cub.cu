// CUB: cub::DeviceTransform over x, the partner of each element, and the two tables.
#include <kata/kata.h>

#include <cub/device/device_transform.cuh>

#include <stdio.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cuda/std/tuple>

// The other element of the pair, negated for the first half of a row.
struct Partner {
  const float* x;
  int dim;
  __device__ float operator()(long long i) const {
    const int half = dim / 2;
    return i % dim < half ? -x[i + half] : x[i - half];
  }
};

struct Rotate {
  __device__ float operator()(float x, float partner, float cosine, float sine) const {
    return x * cosine + partner * sine;
  }
};

extern "C" void rope(const float* x, const float* cosine, const float* sine, float* y, int tokens,
                     int dim) {
  const thrust::counting_iterator<long long> index(0);
  const auto partner = thrust::make_transform_iterator(index, Partner{x, dim});
  const cudaError_t status =
      cub::DeviceTransform::Transform(cuda::std::make_tuple(x, partner, cosine, sine), y,
                                      static_cast<long long>(tokens) * dim, Rotate{});
  if (status != cudaSuccess) fprintf(stderr, "rope: CUB: %s\n", cudaGetErrorString(status));
}
