// Sorts the indices alone, 5 bits a pass in seven passes, and reads the keys through them; keys and
// values are gathered at the end.
#include <cuda_runtime.h>

constexpr int tile = 128, digits = 32;

// counts[digit][tile]
__global__ void count(const unsigned* keys, const int* order, unsigned* counts, int n, int shift) {
  __shared__ unsigned mine[digits];
  mine[threadIdx.x] = 0;
  __syncwarp();
  for (int k = threadIdx.x; k < tile; k += 32) {
    const int i = blockIdx.x * tile + k;
    if (i < n) atomicAdd(&mine[keys[order ? order[i] : i] >> shift & 31], 1u);
  }
  __syncwarp();
  counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}

// One warp: the exclusive sum, in place.
__global__ void sum(unsigned* counts, int n) {
  unsigned carry = 0;
  for (int first = 0; first < n; first += 32) {
    const unsigned own = counts[first + threadIdx.x];  // n is a multiple of 32
    unsigned inclusive = own;
    for (int d = 1; d < 32; d *= 2) {
      const unsigned lower = __shfl_up_sync(~0u, inclusive, d);
      if (threadIdx.x >= d) inclusive += lower;
    }
    counts[first + threadIdx.x] = carry + inclusive - own;
    carry += __shfl_sync(~0u, inclusive, 31);
  }
}

__global__ void move(const unsigned* keys, const int* order, int* next_order,
                     const unsigned* counts, int n, int shift) {
  unsigned place = counts[threadIdx.x * gridDim.x + blockIdx.x];  // of digit threadIdx.x
  for (int start = 0; start < tile; start += 32) {
    const int i = blockIdx.x * tile + start + threadIdx.x;
    const int from = i < n && order ? order[i] : i;
    const unsigned digit = i < n ? keys[from] >> shift & 31 : digits;
    const unsigned same = __match_any_sync(~0u, digit);
    const unsigned base = __shfl_sync(~0u, place, digit);
    if (i < n) next_order[base + __popc(same & ((1u << threadIdx.x) - 1))] = from;
    for (unsigned d = 0; d < digits; ++d) {
      const unsigned lanes = __ballot_sync(~0u, digit == d);
      if (threadIdx.x == d) place += __popc(lanes);
    }
  }
}

__global__ void gather(const unsigned* keys_in, const int* values_in, const int* order,
                       unsigned* keys_out, int* values_out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    keys_out[i] = keys_in[order[i]];
    values_out[i] = values_in[order[i]];
  }
}

extern "C" void sort_pairs(const unsigned* keys_in, const int* values_in, unsigned* keys_out,
                           int* values_out, int n) {
  const int tiles = (n - 1) / tile + 1;
  int *orders = nullptr, *order = nullptr;
  unsigned* counts = nullptr;
  if (cudaMalloc(&orders, 2 * sizeof(int) * n) != cudaSuccess) return;
  if (cudaMalloc(&counts, sizeof(unsigned) * tiles * digits) != cudaSuccess) return;
  for (int pass = 0; pass < 7; ++pass) {
    int* const next = pass % 2 == 0 ? orders : orders + n;
    count<<<tiles, 32>>>(keys_in, order, counts, n, 5 * pass);
    sum<<<1, 32>>>(counts, tiles * digits);
    move<<<tiles, 32>>>(keys_in, order, next, counts, n, 5 * pass);
    order = next;
  }
  gather<<<48, 192>>>(keys_in, values_in, order, keys_out, values_out, n);
  cudaFree(orders);
  cudaFree(counts);
}
