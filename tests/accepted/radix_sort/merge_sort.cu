// Merge sort: each thread finds the place of its key in the other run by binary search.
#include <cuda_runtime.h>

__global__ void merge(const unsigned* from, unsigned* to, int n, int run) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  const unsigned key = from[i];
  const int start = i / (2 * run) * (2 * run);
  const bool is_left = i - start < run;
  int low = is_left ? start + run : start;
  int high = is_left ? start + 2 * run : start + run;
  low = low < n ? low : n;
  high = high < n ? high : n;
  const int other = low;
  while (low < high) {
    const int middle = (low + high) / 2;
    const bool before = is_left ? from[middle] < key : from[middle] <= key;
    (before ? low : high) = before ? middle + 1 : middle;
  }
  to[start + (is_left ? i - start : i - start - run) + (low - other)] = key;
}

extern "C" void radix_sort(const unsigned* in, unsigned* out, int n) {
  unsigned* other = nullptr;
  if (cudaMalloc(&other, n * sizeof(unsigned)) != cudaSuccess) return;
  const unsigned* from = in;
  for (int run = 1; run < n || from == in; run *= 2) {
    unsigned* const to = from == out ? other : out;
    merge<<<(n + 127) / 128, 128>>>(from, to, n, run);
    from = to;
  }
  if (from != out) cudaMemcpy(out, from, n * sizeof(unsigned), cudaMemcpyDeviceToDevice);
  cudaFree(other);
}
