// Binary search: each element finds its own place: its index plus its rank in the other array.
//
// The rank of an element of A counts the elements of B that are less. The rank of an element of B
// counts the elements of A that are less or equal. So an element of A comes before all elements of
// B that are equal to it, and every element has a place of its own.
//
// Prediction: 25 dependent loads per element at 2^25 + 2^25. Neighbouring lanes search neighbouring
// places, so the first loads hit L1 (35 cycles), 12 hit L2 (280) and the last few DRAM (700): 6500
// cycles per warp. 2^21 warps in 248 waves of 8448: 920 us, and the stores overlap. Missed: 31 % of
// the loads miss L1 and half of those L2, 1.06 GB from DRAM: 10500 cycles per warp.
// Measured: 1485.1 us at 33554432x33554432, 8.5 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

constexpr int THREADS = 256;

// How many elements of the ascending x come before `value`: those less, or also those equal.
template <bool OR_EQUAL>
__device__ int rank_in(const float* x, int count, float value) {
  int low = 0;
  int high = count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    const bool before = OR_EQUAL ? x[middle] <= value : x[middle] < value;
    if (before) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

__global__ void merge_kernel(const float* A, const float* B, float* C, int M, int N) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < M) {
    C[i + rank_in<false>(B, N, A[i])] = A[i];
  } else if (i < M + N) {
    const int j = i - M;
    C[j + rank_in<true>(A, M, B[j])] = B[j];
  }
}

extern "C" void merge(const float* A, const float* B, float* C, int M, int N) {
  merge_kernel<<<kata::ceil_div(M + N, THREADS), THREADS>>>(A, B, C, M, N);
}
