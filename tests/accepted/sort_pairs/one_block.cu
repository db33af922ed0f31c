// One block sorts everything, 2 bits a pass: each thread owns a stretch of consecutive pairs, so the
// order of equal digits is the order of the threads.
#include <cuda_runtime.h>

constexpr int threads = 512;

__global__ void split_in_four(const unsigned* from, const int* from_values, unsigned* to,
                              int* to_values, int n, int shift) {
  __shared__ int table[4 * threads];  // [digit][thread]
  const int each = (n - 1) / threads + 1;
  const long long first = static_cast<long long>(threadIdx.x) * each;
  const int begin = first < n ? static_cast<int>(first) : n;
  const int end = begin + each < n ? begin + each : n;
  int count[4] = {};
  for (int i = begin; i < end; ++i)
    for (unsigned d = 0; d < 4; ++d) count[d] += (from[i] >> shift & 3) == d;
  for (int d = 0; d < 4; ++d) table[d * threads + threadIdx.x] = count[d];
  for (int distance = 1; distance < 4 * threads; distance *= 2) {  // an inclusive scan
    __syncthreads();
    int sum[4];
    for (int d = 0; d < 4; ++d) {
      const int i = d * threads + threadIdx.x;
      sum[d] = table[i] + (i >= distance ? table[i - distance] : 0);
    }
    __syncthreads();
    for (int d = 0; d < 4; ++d) table[d * threads + threadIdx.x] = sum[d];
  }
  int place[4];
  for (int d = 0; d < 4; ++d) place[d] = table[d * threads + threadIdx.x] - count[d];
  for (int i = begin; i < end; ++i) {
    for (unsigned d = 0; d < 4; ++d) {
      if ((from[i] >> shift & 3) != d) continue;
      to[place[d]] = from[i];
      to_values[place[d]++] = from_values[i];
    }
  }
}

extern "C" void sort_pairs(const unsigned* keys_in, const int* values_in, unsigned* keys_out,
                           int* values_out, int n) {
  static unsigned* keys = nullptr;
  static int* values = nullptr;
  static int room = 0;
  if (n > room) {
    cudaFree(keys);
    cudaFree(values);
    cudaMalloc(&keys, n * sizeof(unsigned));
    cudaMalloc(&values, n * sizeof(int));
    room = n;
  }
  cudaMemcpyAsync(keys_out, keys_in, n * sizeof(unsigned), cudaMemcpyDeviceToDevice);
  cudaMemcpyAsync(values_out, values_in, n * sizeof(int), cudaMemcpyDeviceToDevice);
  for (int shift = 0; shift < 32; shift += 4) {
    split_in_four<<<1, threads>>>(keys_out, values_out, keys, values, n, shift);
    split_in_four<<<1, threads>>>(keys, values, keys_out, values_out, n, shift + 2);
  }
}
