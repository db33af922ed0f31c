#pragma once
// Mean and variance of values that are spread over threads.
//
// Chan, Golub and LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample
// Variances" (1979): the moments of two sets give those of their union, in any order. The one-pass
// formula mean(x^2) - mean(x)^2 subtracts two large numbers instead: with a mean of 1000 and a
// variance of 1, float keeps no correct digit of the result.

struct Moments {
  float count;
  float mean;
  float m2;  // sum of (value - mean)^2
};

// Either side may be empty (count 0).
__device__ inline Moments merge(const Moments& a, const Moments& b) {
  const float count = a.count + b.count;
  const float share = b.count == 0.0f ? 0.0f : b.count / count;
  const float delta = b.mean - a.mean;
  return {count, a.mean + delta * share, a.m2 + b.m2 + delta * delta * a.count * share};
}

// Of all values of the warp, in every lane. All 32 lanes must call it.
__device__ inline Moments warp_merge(Moments mine) {
  for (int offset = 16; offset > 0; offset /= 2) {
    mine = merge(mine, {__shfl_xor_sync(0xffffffffu, mine.count, offset),
                        __shfl_xor_sync(0xffffffffu, mine.mean, offset),
                        __shfl_xor_sync(0xffffffffu, mine.m2, offset)});
  }
  return mine;
}

// Of all values of a block of WARPS warps, in every thread. All threads call it, once in a kernel.
template <int WARPS>
__device__ Moments block_merge(Moments mine) {
  if (WARPS == 1) return warp_merge(mine);
  __shared__ Moments slots[WARPS];
  const int lane = threadIdx.x % 32;
  mine = warp_merge(mine);
  if (lane == 0) slots[threadIdx.x / 32] = mine;
  __syncthreads();
  return warp_merge(lane < WARPS ? slots[lane] : Moments{0.0f, 0.0f, 0.0f});
}
