// Merge sort of pairs in one 8-byte struct: each thread finds the place of its pair in the other run
// by binary search.
#include <cuda_runtime.h>

__global__ void zip(const unsigned* keys, const int* values, uint2* pairs, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) pairs[i] = make_uint2(keys[i], static_cast<unsigned>(values[i]));
}

__global__ void merge(const uint2* from, uint2* to, int n, int run) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  const uint2 pair = from[i];
  const int start = i / (2 * run) * (2 * run);
  const bool is_left = i - start < run;
  int low = min(is_left ? start + run : start, n);
  int high = min(is_left ? start + 2 * run : start + run, n);
  const int other = low;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (is_left ? from[middle].x < pair.x : from[middle].x <= pair.x)
      low = middle + 1;
    else
      high = middle;
  }
  to[start + (is_left ? i - start : i - start - run) + (low - other)] = pair;
}

__global__ void unzip(const uint2* pairs, unsigned* keys, int* values, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  keys[i] = pairs[i].x;
  values[i] = static_cast<int>(pairs[i].y);
}

extern "C" void sort_pairs(const unsigned* keys_in, const int* values_in, unsigned* keys_out,
                           int* values_out, int n) {
  uint2 *from = nullptr, *to = nullptr;
  if (cudaMalloc(&from, n * sizeof(uint2)) != cudaSuccess) return;
  if (cudaMalloc(&to, n * sizeof(uint2)) != cudaSuccess) return;
  const int blocks = (n + 127) / 128;
  zip<<<blocks, 128>>>(keys_in, values_in, from, n);
  for (int run = 1; run < n; run *= 2) {
    merge<<<blocks, 128>>>(from, to, n, run);
    uint2* const sorted = to;
    to = from;
    from = sorted;
  }
  unzip<<<blocks, 128>>>(from, keys_out, values_out, n);
  cudaFree(from);
  cudaFree(to);
}
