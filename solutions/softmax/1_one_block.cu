// One block takes the whole vector: a pass for the maximum, one for the sum, one for the quotients.
//
// Subtracting the maximum changes nothing in exact arithmetic and everything in float: exp(89) is
// infinity, and infinity / infinity is NaN.
//
// Prediction: 16 bytes an element (x read three times, y written once), all through one SM, which
// takes at most 64 bytes a clock from L2, about 127 GB/s at 1.98 GHz. 2^24 elements therefore need
// 1.6 ms for the reads alone; the whole GPU copies them in 0.04 ms. The rest of the chip idles.
// Measured: 9483.1 us at 16777216, 0.4 % of the limit (H200, 2026-11-22)
#include <kata/kata.h>

#include <math.h>

constexpr int THREADS = 1024;
constexpr int WARPS = THREADS / 32;
constexpr unsigned ALL_LANES = 0xffffffffu;

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

// Every thread of the block calls these two, once each, and every thread gets the result.
__device__ float block_max(float value) {
  __shared__ float slots[WARPS];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  value = warp_max(value);
  if (lane == 0) slots[warp] = value;
  __syncthreads();
  return warp_max(lane < WARPS ? slots[lane] : -INFINITY);  // each warp does it: no second barrier
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

__global__ void softmax_kernel(const float* x, float* y, int n) {
  const int tid = threadIdx.x;

  float max = -INFINITY;  // not 0: all of x may be negative
  for (int i = tid; i < n; i += THREADS) max = fmaxf(max, x[i]);
  max = block_max(max);

  float sum = 0.0f;
  for (int i = tid; i < n; i += THREADS) sum += expf(x[i] - max);
  sum = block_sum(sum);

  for (int i = tid; i < n; i += THREADS) y[i] = expf(x[i] - max) / sum;
}

extern "C" void softmax(const float* x, float* y, int n) {
  softmax_kernel<<<1, THREADS>>>(x, y, n);
}
