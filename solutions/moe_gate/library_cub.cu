// CUB: cub::DeviceSegmentedSort sorts all logits of every token, stably; then a softmax of k.
#include <kata/kata.h>

#include <cub/device/device_for.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include <stdio.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "../common/scratch.h"

struct RowStart {
  long long experts;

  __device__ long long operator()(long long token) const { return token * experts; }
};

struct Number {
  int* indices;
  int experts;

  __device__ void operator()(long long i) const { indices[i] = static_cast<int>(i % experts); }
};

struct Softmax {
  const float* sorted;
  const int* sorted_indices;
  float* weight;
  int* expert;
  int experts, k;

  __device__ void operator()(int token) const {
    const size_t from = static_cast<size_t>(token) * experts;
    const size_t to = static_cast<size_t>(token) * k;
    float sum = 0.0f;
    for (int r = 0; r < k; ++r) sum += expf(sorted[from + r] - sorted[from]);
    for (int r = 0; r < k; ++r) {
      weight[to + r] = expf(sorted[from + r] - sorted[from]) / sum;
      expert[to + r] = sorted_indices[from + r];
    }
  }
};

extern "C" void moe_gate(const float* logits, float* weight, int* expert, int tokens, int experts,
                         int k) {
  static Scratch<char> scratch;
  static Scratch<float> sorted_scratch;
  static Scratch<int> index_scratch;
  const long long n = static_cast<long long>(tokens) * experts;
  float* sorted = sorted_scratch.get(n);
  int* indices = index_scratch.get(2 * n);
  const auto start =
      thrust::make_transform_iterator(thrust::counting_iterator<long long>(0), RowStart{experts});
  size_t bytes = 0;
  const auto sort = [&](void* memory) {
    return cub::DeviceSegmentedSort::StableSortPairsDescending(
        memory, bytes, logits, sorted, indices, indices + n, n, tokens, start, start + 1);
  };
  cudaError_t status = cub::DeviceFor::Bulk(n, Number{indices, experts});
  if (status == cudaSuccess) status = sort(nullptr);
  if (status == cudaSuccess) status = sort(scratch.get(bytes));
  if (status == cudaSuccess) {
    status = cub::DeviceFor::Bulk(tokens, Softmax{sorted, indices + n, weight, expert, experts, k});
  }
  if (status != cudaSuccess) fprintf(stderr, "moe_gate: CUB: %s\n", cudaGetErrorString(status));
}
