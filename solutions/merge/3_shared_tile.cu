// Shared tile: a block finds its 4096 outputs by one search and merges them in shared memory.
//
// The rung to reach in 30 minutes. Two threads search the block's first and last diagonal in global
// memory. The stretches of A and B between them have 4096 elements together; the block loads them
// with coalesced accesses. Each thread then searches its own diagonal in shared memory and merges
// 16 outputs into registers. The block stores them coalesced, by way of shared memory again.
//
// Prediction: 537 MB at 4298 GB/s take 125 us, but shared memory is the limit. Staging at stride 16
// puts 16 lanes in one bank: 2^21 stores of a warp at 16 cycles on 132 SMs take 145 us at 1.75 GHz.
// The loads of the merge, about 3 lanes in a bank, add 60: 220 us with the searches. Missed: all
// warps wait for 25 loads of two threads, and searches in the tile were not counted.
// Measured: 410.3 us at 33554432x33554432, 31 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

constexpr int THREADS = 256;
constexpr int ITEMS = 16;
constexpr int TILE = THREADS * ITEMS;

// How many of the first `diagonal` outputs come from a.
__device__ int merge_path(const float* a, int a_count, const float* b, int b_count, int diagonal) {
  int low = max(0, diagonal - b_count);
  int high = min(diagonal, a_count);
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (a[middle] <= b[diagonal - 1 - middle]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

__global__ void __launch_bounds__(THREADS)
    merge_kernel(const float* A, const float* B, float* C, int M, int N) {
  __shared__ float values[TILE];  // the tile's elements of A, then those of B; later the outputs
  __shared__ int split[2];        // the elements of A before the tile, and before the next one
  const int tid = threadIdx.x;
  const int first = blockIdx.x * TILE;
  const int count = min(TILE, M + N - first);
  if (tid % 32 == 0 && tid < 64) {  // of two warps, so that the searches overlap
    split[tid / 32] = merge_path(A, M, B, N, tid == 0 ? first : first + count);
  }
  __syncthreads();
  const int a_first = split[0];
  const int a_count = split[1] - a_first;
  const int b_first = first - a_first;
  for (int k = tid; k < count; k += THREADS) {
    values[k] = k < a_count ? A[a_first + k] : B[b_first + k - a_count];
  }
  __syncthreads();

  const float* a = values;
  const float* b = values + a_count;
  const int b_count = count - a_count;
  const int mine = min(tid * ITEMS, count);
  int i = merge_path(a, a_count, b, b_count, mine);
  int j = mine - i;
  float out[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    if (mine + k >= count) break;
    const bool from_a = j >= b_count || (i < a_count && a[i] <= b[j]);
    out[k] = from_a ? a[i++] : b[j++];
  }
  __syncthreads();  // all have read the inputs
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    if (mine + k < count) values[mine + k] = out[k];
  }
  __syncthreads();
  for (int k = tid; k < count; k += THREADS) C[first + k] = values[k];
}

extern "C" void merge(const float* A, const float* B, float* C, int M, int N) {
  merge_kernel<<<kata::ceil_div(M + N, TILE), THREADS>>>(A, B, C, M, N);
}
