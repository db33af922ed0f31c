// One thread counts and moves the pairs, with digits of 11 bits: an odd number of passes.
#include <cuda_runtime.h>

__device__ int counts[2048];

__global__ void sort_by_digit(const unsigned* from, const int* from_values, unsigned* to,
                              int* to_values, int n, int shift) {
  for (int d = 0; d < 2048; ++d) counts[d] = 0;
  for (int i = 0; i < n; ++i) ++counts[from[i] >> shift & 2047];
  for (int d = 0, sum = 0; d < 2048; ++d) {
    const int count = counts[d];
    counts[d] = sum;
    sum += count;
  }
  for (int i = 0; i < n; ++i) {
    const int place = counts[from[i] >> shift & 2047]++;
    to[place] = from[i];
    to_values[place] = from_values[i];
  }
}

extern "C" void sort_pairs(const unsigned* keys_in, const int* values_in, unsigned* keys_out,
                           int* values_out, int n) {
  unsigned* keys = nullptr;
  int* values = nullptr;
  if (cudaMalloc(&keys, n * sizeof(unsigned)) != cudaSuccess) return;
  if (cudaMalloc(&values, n * sizeof(int)) != cudaSuccess) return;
  sort_by_digit<<<1, 1>>>(keys_in, values_in, keys_out, values_out, n, 0);
  sort_by_digit<<<1, 1>>>(keys_out, values_out, keys, values, n, 11);
  sort_by_digit<<<1, 1>>>(keys, values, keys_out, values_out, n, 22);
  cudaFree(keys);
  cudaFree(values);
}
