// CUB: cub::DeviceSegmentedReduce merges the pairs (max, sum) of each row, cub::DeviceReduce::Sum
// adds up the losses.
#include <kata/kata.h>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>

#include <stdio.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "log_sum_exp.h"

struct OneValue {
  __device__ LogSumExp operator()(float value) const { return {value, 1.0f}; }
};

struct Merge {
  __device__ LogSumExp operator()(const LogSumExp& a, const LogSumExp& b) const {
    return merge(a, b);
  }
};

struct RowBegin {
  long long classes;
  __host__ __device__ long long operator()(long long row) const { return row * classes; }
};

struct RowLoss {
  const float* logits;
  const int* labels;
  const LogSumExp* rows;
  int n, classes;
  __device__ float operator()(int row) const {
    const float of_label = logits[static_cast<size_t>(row) * classes + labels[row]];
    return (rows[row].log() - of_label) / n;
  }
};

// Memory that is kept for the next call, and grown when that needs more.
struct Storage {
  void* memory = nullptr;
  size_t bytes = 0;
};

cudaError_t grow(Storage& storage, size_t bytes) {
  if (bytes <= storage.bytes) return cudaSuccess;
  cudaFree(storage.memory);
  storage = {};
  const cudaError_t status = cudaMalloc(&storage.memory, bytes);
  if (status == cudaSuccess) storage.bytes = bytes;
  return status;
}

cudaError_t mean_loss(const float* logits, const int* labels, float* loss, int n, int classes) {
  static Storage rows_storage, reduce_storage, sum_storage;
  cudaError_t status = grow(rows_storage, n * sizeof(LogSumExp));
  if (status != cudaSuccess) return status;
  auto* rows = static_cast<LogSumExp*>(rows_storage.memory);

  const auto pairs = thrust::make_transform_iterator(logits, OneValue{});
  const auto begin =
      thrust::make_transform_iterator(thrust::counting_iterator<long long>(0), RowBegin{classes});
  const LogSumExp none = {-FLT_MAX, 0.0f};
  const auto reduce_rows = [&](void* memory, size_t& bytes) {
    return cub::DeviceSegmentedReduce::Reduce(memory, bytes, pairs, rows, n, begin, begin + 1,
                                              Merge{}, none);
  };
  const auto losses = thrust::make_transform_iterator(thrust::counting_iterator<int>(0),
                                                      RowLoss{logits, labels, rows, n, classes});
  const auto add_losses = [&](void* memory, size_t& bytes) {
    return cub::DeviceReduce::Sum(memory, bytes, losses, loss, n);
  };
  const auto run = [](Storage& storage, const auto& call) {
    size_t bytes = 0;
    cudaError_t result = call(nullptr, bytes);
    if (result == cudaSuccess) result = grow(storage, bytes);
    return result == cudaSuccess ? call(storage.memory, storage.bytes) : result;
  };
  status = run(reduce_storage, reduce_rows);
  return status == cudaSuccess ? run(sum_storage, add_losses) : status;
}

extern "C" void cross_entropy(const float* logits, const int* labels, float* loss, int n,
                              int classes) {
  const cudaError_t status = mean_loss(logits, labels, loss, n, classes);
  if (status != cudaSuccess)
    fprintf(stderr, "cross_entropy: CUB: %s\n", cudaGetErrorString(status));
}
