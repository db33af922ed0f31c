// CUB: cub::DeviceSegmentedSort sorts every row whole, stably; then the first k are copied. CUB in
// CUDA 13.0 has no top-k of rows.
#include <kata/kata.h>

#include <cub/device/device_for.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include <stdio.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "../common/scratch.h"

struct RowStart {
  long long cols;

  __device__ long long operator()(long long row) const { return row * cols; }
};

struct Column {
  int* columns;
  int cols;

  __device__ void operator()(long long i) const { columns[i] = static_cast<int>(i % cols); }
};

struct CopyFirst {
  const float* sorted;
  const int* sorted_columns;
  float* values;
  int* indices;
  int cols, k;

  __device__ void operator()(long long i) const {
    const long long from = i / k * cols + i % k;
    values[i] = sorted[from];
    indices[i] = sorted_columns[from];
  }
};

extern "C" void topk_rows(const float* x, float* values, int* indices, int rows, int cols, int k) {
  static Scratch<char> scratch;
  static Scratch<float> sorted_scratch;
  static Scratch<int> column_scratch;
  const long long n = static_cast<long long>(rows) * cols;
  float* sorted = sorted_scratch.get(n);
  int* columns = column_scratch.get(2 * n);
  const auto start =
      thrust::make_transform_iterator(thrust::counting_iterator<long long>(0), RowStart{cols});
  size_t bytes = 0;
  const auto sort = [&](void* memory) {
    return cub::DeviceSegmentedSort::StableSortPairsDescending(
        memory, bytes, x, sorted, columns, columns + n, n, rows, start, start + 1);
  };
  cudaError_t status = cub::DeviceFor::Bulk(n, Column{columns, cols});
  if (status == cudaSuccess) status = sort(nullptr);
  if (status == cudaSuccess) status = sort(scratch.get(bytes));
  if (status == cudaSuccess) {
    const long long count = static_cast<long long>(rows) * k;
    status = cub::DeviceFor::Bulk(count, CopyFirst{sorted, columns + n, values, indices, cols, k});
  }
  if (status != cudaSuccess) fprintf(stderr, "topk_rows: CUB: %s\n", cudaGetErrorString(status));
}
