// Fault: only the first 1024 counts are scanned: wrong from 65 tiles on.
#include <cuda_runtime.h>

constexpr int tile = 64, digits = 16;

// counts[digit][tile]
__global__ void count_digits(const unsigned* in, unsigned* counts, int n, int shift) {
  __shared__ unsigned mine[digits];
  const int tiles = gridDim.x, first = blockIdx.x * tile;
  if (threadIdx.x < digits) mine[threadIdx.x] = 0;
  __syncwarp();
  for (int i = threadIdx.x; i < tile && first + i < n; i += 32)
    atomicAdd(&mine[in[first + i] >> shift & 15], 1u);
  __syncwarp();
  if (threadIdx.x < digits) counts[threadIdx.x * tiles + blockIdx.x] = mine[threadIdx.x];
}

// One block: the exclusive sum, in place.
__global__ void scan_counts(unsigned* counts, int n) {
  unsigned carry = 0;
  for (int first = 0; first < n; first += 32) {
    const int i = first + threadIdx.x;
    const unsigned own = i < n ? counts[i] : 0;
    unsigned sum = own;
    for (int d = 1; d < 32; d *= 2) {
      const unsigned lower = __shfl_up_sync(~0u, sum, d);
      if (threadIdx.x >= d) sum += lower;
    }
    if (i < n) counts[i] = carry + sum - own;
    carry += __shfl_sync(~0u, sum, 31);
  }
}

__global__ void scatter(const unsigned* in, unsigned* out, const unsigned* counts, int n,
                        int shift) {
  __shared__ unsigned place[digits];
  const int tiles = gridDim.x, first = blockIdx.x * tile;
  if (threadIdx.x < digits) place[threadIdx.x] = counts[threadIdx.x * tiles + blockIdx.x];
  __syncwarp();
  for (int start = 0; start < tile; start += 32) {
    const int i = first + start + threadIdx.x;
    const unsigned digit = i < n ? in[i] >> shift & 15 : digits;
    const unsigned same = __match_any_sync(~0u, digit);
    if (i < n) out[place[digit] + __popc(same & ((1u << threadIdx.x) - 1))] = in[i];
    __syncwarp();
    if (i < n && same >> threadIdx.x == 1) place[digit] += __popc(same);
    __syncwarp();
  }
}

extern "C" void radix_sort(const unsigned* in, unsigned* out, int n) {
  const int tiles = (n - 1) / tile + 1;
  unsigned *other, *counts;
  cudaMalloc(&other, n * sizeof(unsigned));
  cudaMalloc(&counts, tiles * digits * sizeof(unsigned));
  const unsigned* from = in;
  for (int shift = 0; shift < 32; shift += 4) {
    unsigned* const to = from == other ? out : other;
    count_digits<<<tiles, 32>>>(from, counts, n, shift);
    scan_counts<<<1, 32>>>(counts, tiles * digits < 1024 ? tiles * digits : 1024);
    scatter<<<tiles, 32>>>(from, to, counts, n, shift);
    from = to;
  }
  cudaFree(other);
  cudaFree(counts);
}
