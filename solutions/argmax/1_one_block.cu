// One block, a tree over pairs of value and index in shared memory.
//
// A thread takes every 1024th element and keeps the first of its largest. Two threads with the same
// value are not in the order of their elements: thread 255 may hold element 5119 and thread 256
// element 256. So the tree must compare indices of equal values.
//
// Prediction: one SM of 132 reads: 1024 threads with one or a few 4-byte loads in flight per 700
// ns, 6 to 24 GB/s. 268 MB at 2^26 take more than 10 ms, 0.5 % of the limit (read).
// Measured: 8043.1 us at 67108864, 0.8 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/best.h"

constexpr int THREADS = 1024;  // a power of two

__global__ void argmax_kernel(const float* x, int* index, int n) {
  __shared__ Best bests[THREADS];
  const int tid = threadIdx.x;
  Best best = no_best();
  for (unsigned i = tid; i < n; i += THREADS) best = better(best, {x[i], static_cast<int>(i)});
  bests[tid] = best;
  __syncthreads();

  for (int s = THREADS / 2; s > 0; s /= 2) {
    if (tid < s) bests[tid] = better(bests[tid], bests[tid + s]);
    __syncthreads();
  }

  if (tid == 0) *index = bests[0].index;
}

extern "C" void argmax(const float* x, int* index, int n) {
  argmax_kernel<<<1, THREADS>>>(x, index, n);
}
