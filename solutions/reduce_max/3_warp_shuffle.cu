// Warp shuffles: lanes pass values from register to register, with one barrier instead of ten.
//
// A warp finds its maximum in five steps without shared memory or barrier. Each warp writes its
// result to a slot, and the first warp reduces the slots in the same way. The full mask is right
// because every lane takes part in every shuffle: threads without an element hold -infinity, and
// no thread returns early. (__reduce_max_sync reduces a warp in one instruction, but only
// integers.) The rung to reach in 30 minutes.
//
// Prediction: ten dependent shuffles of 27 clocks each, instead of nine steps of 60 clocks: 0.14
// us instead of 0.27, after 700 ns for the load. 31 blocks in turn: 26 us at 2^24.
// Measured: 41.9 us at 16777216, 44 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include <math.h>

constexpr int THREADS = 512;
constexpr int WARPS = THREADS / 32;
constexpr int PER_BLOCK = 2 * THREADS;
constexpr unsigned ALL_LANES = 0xffffffffu;

// The maximum over the warp, in lane 0. All lanes call it.
__device__ float warp_max(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_down_sync(ALL_LANES, value, offset));
  }
  return value;
}

// The maximum over the block, in thread 0. All threads call it.
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
