// Warp shuffles: lanes pass values from register to register; one barrier where there were ten.
//
// A warp finds the largest of its 32 values in five steps without shared memory and without a
// barrier. Each warp leaves its result in one slot, and the first warp goes through the slots in
// the same way. Every lane takes part in every shuffle: a full mask is right because idle threads
// hold -infinity and nobody has returned. (__reduce_max_sync does a whole warp at once, but for
// integers only.)
//
// Prediction: ten shuffles with their maxima one after the other, some 27 clocks each, where there
// were nine steps of 60 clocks: 0.14 us in place of 0.27, after the same 700 ns for the load. 31
// blocks one after the other: 26 us at 2^24. Memory, 16 us, comes into sight.
// Measured: 48.1 us at 16777216, 46 % of the limit (H200, 2026-11-22)
#include <kata/kata.h>

#include <math.h>

constexpr int THREADS = 512;
constexpr int WARPS = THREADS / 32;
constexpr int PER_BLOCK = 2 * THREADS;
constexpr unsigned ALL_LANES = 0xffffffffu;

// The largest of the warp's values, in lane 0.
__device__ float warp_max(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_down_sync(ALL_LANES, value, offset));
  }
  return value;
}

// The largest of the block's values, in thread 0. Every thread calls it.
__device__ float block_max(float value) {
  __shared__ float slots[WARPS];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  value = warp_max(value);
  if (lane == 0) slots[warp] = value;
  __syncthreads();
  if (warp == 0) value = warp_max(lane < WARPS ? slots[lane] : -INFINITY);
  return value;
}

__global__ void start_kernel(float* max) {
  *max = -INFINITY;  // the maximum of nothing
}

// max becomes the larger of itself and value. There is no atomicMax for float: the bits are
// exchanged if they are still what this thread has seen, else it looks again.
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
  const int tid = threadIdx.x;
  const int i = blockIdx.x * PER_BLOCK + tid;
  const float low = i < n ? x[i] : -INFINITY;
  const float high = i + THREADS < n ? x[i + THREADS] : -INFINITY;
  const float result = block_max(fmaxf(low, high));
  if (tid == 0) atomic_max(max, result);
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  start_kernel<<<1, 1>>>(max);
  reduce_max_kernel<<<kata::ceil_div(n, PER_BLOCK), THREADS>>>(x, max, n);
}
