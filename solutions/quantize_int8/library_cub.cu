// CUB: cub::DeviceSegmentedReduce for the scales, cub::DeviceFor for the rounding: x is read twice.
#include <kata/kata.h>

#include <cub/device/device_for.cuh>
#include <cub/device/device_segmented_reduce.cuh>

#include <stdio.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "../common/scratch.h"

struct Magnitude {
  __device__ float operator()(float x) const { return fabsf(x); }
};

struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct RowStart {
  long long cols;

  __device__ long long operator()(long long row) const { return row * cols; }
};

struct ScaleOf {
  float* largest;

  __device__ void operator()(int row) const {
    largest[row] = largest[row] > 0.0f ? largest[row] / 127.0f : 1.0f;
  }
};

struct Quantize {
  const float* x;
  signed char* q;
  const float* scale;
  int cols;

  __device__ void operator()(long long i) const {
    q[i] = static_cast<signed char>(rintf(x[i] / scale[i / cols]));
  }
};

extern "C" void quantize_int8(const float* x, signed char* q, float* scale, int rows, int cols) {
  static Scratch<char> scratch;
  const auto magnitudes = thrust::make_transform_iterator(x, Magnitude{});
  const auto start =
      thrust::make_transform_iterator(thrust::counting_iterator<long long>(0), RowStart{cols});
  size_t bytes = 0;
  const auto reduce = [&](void* memory) {
    return cub::DeviceSegmentedReduce::Reduce(memory, bytes, magnitudes, scale, rows, start,
                                              start + 1, Larger{}, 0.0f);
  };
  cudaError_t status = reduce(nullptr);
  if (status == cudaSuccess) status = reduce(scratch.get(bytes));
  if (status == cudaSuccess) status = cub::DeviceFor::Bulk(rows, ScaleOf{scale});
  if (status == cudaSuccess) {
    const long long elements = static_cast<long long>(rows) * cols;
    status = cub::DeviceFor::Bulk(elements, Quantize{x, q, scale, cols});
  }
  if (status != cudaSuccess)
    fprintf(stderr, "quantize_int8: CUB: %s\n", cudaGetErrorString(status));
}
