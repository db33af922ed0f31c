// The whole grid works: one kernel each for maximum, sum and quotients, combined with atomics.
//
// Blocks cannot wait for each other in an ordinary kernel; __threadfence orders memory accesses
// but is not a barrier. A kernel starts only after the previous one has ended, so the launch is
// the barrier.
//
// Prediction: still 16 bytes per element, now over all SMs. 2^24 elements move 268 MB: 65 us at
// the copy rate of 4.1 TB/s, plus four launches of some 3 us. There is one atomic per block, at
// most 2048 on one address. Missed: in the last kernel no load may move above a store, so a thread
// has one load in flight.
// Measured: 90.1 us at 16777216, 37 % of the limit (H200, 2026-11-24)
#include <kata/kata.h>

#include <math.h>

constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;
constexpr int MAX_BLOCKS = 2048;
constexpr unsigned ALL_LANES = 0xffffffffu;

__device__ float global_max;
__device__ float global_sum;

__device__ float warp_max(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, offset));
  }
  return value;
}

__device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(ALL_LANES, value, offset);
  }
  return value;
}

// All threads of the block call these two, once each, and all get the result.
__device__ float block_max(float value) {
  __shared__ float slots[WARPS];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  value = warp_max(value);
  if (lane == 0) slots[warp] = value;
  __syncthreads();
  return warp_max(lane < WARPS ? slots[lane]
                               : -INFINITY);  // in every warp, which saves a second barrier
}

__device__ float block_sum(float value) {
  __shared__ float slots[WARPS];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  value = warp_sum(value);
  if (lane == 0) slots[warp] = value;
  __syncthreads();
  return warp_sum(lane < WARPS ? slots[lane] : 0.0f);
}

// There is no atomicMax for floats. Interpreted as signed integers, the bits of non-negative floats
// have the order of the floats. As unsigned integers, the bits of negative floats have the reverse
// order and exceed all others. Test the sign bit, not `value >= 0`, which is true for -0.0f.
__device__ void atomic_max(float* address, float value) {
  const int bits = __float_as_int(value);
  if (bits >= 0) {
    atomicMax(reinterpret_cast<int*>(address), bits);
  } else {
    atomicMin(reinterpret_cast<unsigned*>(address), static_cast<unsigned>(bits));
  }
}

// __device__ variables keep their values from the previous call.
__global__ void start_kernel() {
  global_max = -INFINITY;
  global_sum = 0.0f;
}

__global__ void max_kernel(const float* x, int n) {
  const int stride = gridDim.x * THREADS;
  float max = -INFINITY;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += stride) {
    max = fmaxf(max, x[i]);
  }
  max = block_max(max);
  if (threadIdx.x == 0) atomic_max(&global_max, max);
}

__global__ void sum_kernel(const float* x, int n) {
  const float max = global_max;
  const int stride = gridDim.x * THREADS;
  float sum = 0.0f;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += stride) {
    sum += expf(x[i] - max);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) atomicAdd(&global_sum, sum);  // the order varies, and so may the last bits
}

__global__ void quotient_kernel(const float* x, float* y, int n) {
  const float max = global_max;
  const int stride = gridDim.x * THREADS;
  const float sum = global_sum;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += stride) {
    y[i] = expf(x[i] - max) / sum;
  }
}

extern "C" void softmax(const float* x, float* y, int n) {
  const int needed = kata::ceil_div(n, THREADS);
  const int grid = needed < MAX_BLOCKS ? needed : MAX_BLOCKS;
  start_kernel<<<1, 1>>>();
  max_kernel<<<grid, THREADS>>>(x, n);
  sum_kernel<<<grid, THREADS>>>(x, n);
  quotient_kernel<<<grid, THREADS>>>(x, y, n);
}
