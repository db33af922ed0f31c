#pragma once
// One-shot: every device reads all vectors, between two meetings.

#include "flags.h"

__global__ void one_shot_kernel(Devices all, int n, unsigned round) {
  const int first = blockIdx.x * THREADS + threadIdx.x, stride = gridDim.x * THREADS;
  float* y = all.y[all.me];
  meet(all, round);  // the peers' streams have reached this call: their inputs are complete
  for (int i = first; i < n / 4; i += stride) reinterpret_cast<float4*>(y)[i] = sum4(all, i);
  for (int i = n / 4 * 4 + first; i < n; i += stride) y[i] = sum1(all, i);
  meet(all, round + 1);  // no peer still reads this device's input
}
