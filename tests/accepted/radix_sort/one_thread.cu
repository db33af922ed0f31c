// One thread counts and moves the keys, with digits of 11 bits.
#include <cuda_runtime.h>

__device__ int counts[2048];

__global__ void sort_by_digit(const unsigned* from, unsigned* to, int n, int shift) {
  for (int d = 0; d < 2048; ++d) counts[d] = 0;
  for (int i = 0; i < n; ++i) ++counts[from[i] >> shift & 2047];
  int sum = 0;
  for (int d = 0; d < 2048; ++d) {
    const int count = counts[d];
    counts[d] = sum;
    sum += count;
  }
  for (int i = 0; i < n; ++i) to[counts[from[i] >> shift & 2047]++] = from[i];
}

extern "C" void radix_sort(const unsigned* in, unsigned* out, int n) {
  unsigned* other = nullptr;
  if (cudaMalloc(&other, n * sizeof(unsigned)) != cudaSuccess) return;
  sort_by_digit<<<1, 1>>>(in, out, n, 0);
  sort_by_digit<<<1, 1>>>(out, other, n, 11);
  sort_by_digit<<<1, 1>>>(other, out, n, 22);
  cudaFree(other);
}
