// CUB: cub::DeviceSegmentedSort sorts every row whole, stably, with its indices; a block per row
// then walks through the sorted row for the cut, and through the row for the token.
#include <kata/kata.h>

#include <cub/device/device_for.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include <stdio.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "../common/scratch.h"
#include "row.h"
#include "walk.h"

constexpr int THREADS = 1024;

struct RowStart {
  long long vocab;

  __device__ long long operator()(long long row) const { return row * vocab; }
};

struct Token {
  int* tokens;
  int vocab;

  __device__ void operator()(long long i) const { tokens[i] = static_cast<int>(i % vocab); }
};

__global__ void __launch_bounds__(THREADS)
    sample_kernel(Rows rows, const float* sorted, const int* sorted_tokens) {
  const size_t at = static_cast<size_t>(blockIdx.x) * rows.vocab;
  const float* logits = sorted + at;
  const float* row = rows.logits + at;
  const auto weight = [&](int v) { return expf(logits[v] - logits[0]); };
  float own = 0.0f, sum;
  for (int v = threadIdx.x; v < rows.vocab; v += THREADS) own += weight(v);
  block_exclusive_scan<THREADS>(own, sum);
  const int last = walk_tokens<THREADS>(rows.vocab, rows.p[blockIdx.x] * sum, weight);
  const float cut = logits[last];
  const int last_tie = sorted_tokens[at + last];
  const auto in_nucleus = [&](int v) {
    const bool is_in = row[v] > cut || (row[v] == cut && v <= last_tie);
    return is_in ? expf(row[v] - logits[0]) : 0.0f;
  };
  own = 0.0f;
  for (int v = threadIdx.x; v < rows.vocab; v += THREADS) own += in_nucleus(v);
  block_exclusive_scan<THREADS>(own, sum);
  const int token =
      walk_tokens<THREADS>(rows.vocab, rows.uniform[blockIdx.x] * sum, in_nucleus);
  if (threadIdx.x == 0) rows.token[blockIdx.x] = token;
}

extern "C" void top_p_sampling(const float* logits, const float* p, const float* uniform,
                               int* token, int rows, int vocab) {
  static Scratch<char> scratch;
  static Scratch<float> sorted_scratch;
  static Scratch<int> token_scratch;
  const long long n = static_cast<long long>(rows) * vocab;
  float* sorted = sorted_scratch.get(n);
  int* tokens = token_scratch.get(2 * n);
  const auto start =
      thrust::make_transform_iterator(thrust::counting_iterator<long long>(0), RowStart{vocab});
  size_t bytes = 0;
  const auto sort = [&](void* memory) {
    return cub::DeviceSegmentedSort::StableSortPairsDescending(
        memory, bytes, logits, sorted, tokens, tokens + n, n, rows, start, start + 1);
  };
  cudaError_t status = cub::DeviceFor::Bulk(n, Token{tokens, vocab});
  if (status == cudaSuccess) status = sort(nullptr);
  if (status == cudaSuccess) status = sort(scratch.get(bytes));
  if (status != cudaSuccess) fprintf(stderr, "cub: %s\n", cudaGetErrorString(status));
  sample_kernel<<<rows, THREADS>>>({logits, p, uniform, token, vocab}, sorted, tokens + n);
}
