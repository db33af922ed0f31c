// Merge path: each thread finds where its 16 outputs begin in A and in B, then merges serially.
//
// A merge is a path through the M x N grid: a step along A for each element from A, a step along B
// for each from B. After d steps the path is on diagonal i + j = d, and a binary search on this
// diagonal finds where. Every thread has the same number of outputs, for any values.
// Green, McColl and Bader, "GPU Merge Path: A GPU Merging Algorithm", 2012.
//
// Prediction: one search per 16 outputs. But lanes are 16 outputs apart, so a store of a warp
// touches 32 sectors: 2^26 writes of a part of a sector, 400 us at the 170 G sectors/s of L2. Each
// step waits for the load of the one before: 1 ms at 2^25 + 2^25, no gain over rung 1.
// Measured: 869.1 us at 33554432x33554432, 15 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

constexpr int THREADS = 256;
constexpr int ITEMS = 16;

// How many of the first `diagonal` outputs come from A.
__device__ int merge_path(const float* A, int M, const float* B, int N, int diagonal) {
  int low = max(0, diagonal - N);
  int high = min(diagonal, M);
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (A[middle] <= B[diagonal - 1 - middle]) {
      low = middle + 1;  // A[middle] is among them
    } else {
      high = middle;
    }
  }
  return low;
}

__global__ void merge_kernel(const float* A, const float* B, float* C, int M, int N) {
  const int first = (blockIdx.x * THREADS + threadIdx.x) * ITEMS;
  if (first >= M + N) return;
  const int last = min(first + ITEMS, M + N);
  int i = merge_path(A, M, B, N, first);
  int j = first - i;
  for (int k = first; k < last; ++k) {
    const bool from_A = j >= N || (i < M && A[i] <= B[j]);
    C[k] = from_A ? A[i++] : B[j++];
  }
}

extern "C" void merge(const float* A, const float* B, float* C, int M, int N) {
  const int threads = kata::ceil_div(M + N, ITEMS);
  merge_kernel<<<kata::ceil_div(threads, THREADS), THREADS>>>(A, B, C, M, N);
}
