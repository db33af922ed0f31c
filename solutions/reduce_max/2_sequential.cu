// A tree in shared memory: each block finds the largest of its 1024 elements, then does one atomic.
//
// Each thread takes the larger of two elements as it loads them. In each step the lower half takes
// the larger of itself and the upper half, so lanes read neighbours: 32 banks, no conflict.
// Missing elements are -infinity. The ladder of reduce_sum shows the trees to avoid.
//
// Prediction: one atomic per 1024 elements, 16384 at 2^24: 8 us. An SM holds 4 such blocks at a
// time, so 31 run one after the other, and each waits 700 ns for its loads and 60 clocks for each
// of nine steps and barriers: 31 * 0.97 us = 30 us. Reading x takes 16.
// Measured: 54.6 us at 16777216, 34 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include <math.h>

constexpr int THREADS = 512;  // a power of two
constexpr int PER_BLOCK = 2 * THREADS;

__global__ void start_kernel(float* max) {
  *max = -INFINITY;  // the maximum of no elements
}

// *max = the larger of *max and value. There is no atomicMax for float, so this is a loop: replace
// the bits if they are still those that this thread read, otherwise compare again.
__device__ void atomic_max(float* max, float value) {
  int* bits = reinterpret_cast<int*>(max);
  int seen = __float_as_int(-INFINITY);
  while (value > __int_as_float(seen)) {
    const int expected = seen;
    seen = atomicCAS(bits, expected, __float_as_int(value));
    if (seen == expected) return;
  }
}

__global__ void reduce_max_kernel(const float* x, float* max, int n) {
  __shared__ float partial[THREADS];
  const int tid = threadIdx.x;
  const int i = blockIdx.x * PER_BLOCK + tid;
  const float low = i < n ? x[i] : -INFINITY;
  const float high = i + THREADS < n ? x[i + THREADS] : -INFINITY;
  partial[tid] = fmaxf(low, high);
  __syncthreads();

  for (int s = THREADS / 2; s > 0; s /= 2) {
    if (tid < s) partial[tid] = fmaxf(partial[tid], partial[tid + s]);
    __syncthreads();
  }

  if (tid == 0) atomic_max(max, partial[0]);
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  start_kernel<<<1, 1>>>(max);
  reduce_max_kernel<<<kata::ceil_div(n, PER_BLOCK), THREADS>>>(x, max, n);
}
