// One block computes the whole vector: one pass each for the maximum, the sum and the quotients.
//
// Subtracting the maximum changes nothing in exact arithmetic, but in float exp(89) is infinity,
// and infinity / infinity is NaN.
//
// Prediction: 16 bytes per element (x is read three times, y written once), all through one SM. It
// takes at most 64 bytes per clock from L2, about 127 GB/s. So 2^24 elements need at least 1.6 ms,
// where the whole GPU copies them in 0.04 ms. Missed by 6 times: 1024 threads keep some 15 KB in
// flight, so latency is the limit, not the 64 bytes per clock.
// Measured: 9462.1 us at 16777216, 0.4 % of the limit (H200, 2026-11-24)
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
