#pragma once
// From the moments of parts of each channel to the two numbers that normalise it.

#include <cuda_runtime.h>

#include <kata/kata.h>

#include "channel_tile.h"

struct Normalise {
  float mean;
  float scale;  // gamma / sqrt(var + eps)
};

constexpr int STATISTICS_WARPS = 8;  // of a block; one for each channel

// The statistics of one channel, by the 32 lanes of a warp, from partials [parts, channels].
__device__ inline void merge_parts_of(int channel, int lane, const Moments* partials,
                                      const float* gamma, Normalise* statistics, int parts,
                                      int channels, float eps) {
  Moments mine = {};
#pragma unroll 4
  for (int part = lane; part < parts; part += 32) {
    mine = merge(mine, partials[static_cast<size_t>(part) * channels + channel]);
  }
  mine = warp_merge(mine);
  if (lane == 0) {
    statistics[channel] = {mine.mean, rsqrtf(mine.m2 / mine.count + eps) * gamma[channel]};
  }
}

__global__ void statistics_kernel(const Moments* partials, const float* gamma,
                                  Normalise* statistics, int parts, int channels, float eps) {
  const int channel = blockIdx.x * STATISTICS_WARPS + threadIdx.x / 32;
  if (channel >= channels) return;  // the whole warp
  merge_parts_of(channel, threadIdx.x % 32, partials, gamma, statistics, parts, channels, eps);
}

inline void launch_statistics(const Moments* partials, const float* gamma, Normalise* statistics,
                              int parts, int channels, float eps) {
  const int grid = kata::ceil_div(channels, STATISTICS_WARPS);
  statistics_kernel<<<grid, 32 * STATISTICS_WARPS>>>(partials, gamma, statistics, parts, channels,
                                                     eps);
}

// The statistics of `count` channels from `first` on, one warp each; for a kernel with grid
// barriers.
__device__ inline void merge_parts(const Moments* partials, const float* gamma,
                                   Normalise* statistics, int parts, int channels, int first,
                                   int count, float eps) {
  const int tid = threadIdx.y * blockDim.x + threadIdx.x;
  const int warps = blockDim.x * blockDim.y / 32;  // whole ones
  const int lane = tid % 32;
  if (tid / 32 == warps) return;
  for (int i = blockIdx.x * warps + tid / 32; i < count; i += gridDim.x * warps) {
    merge_parts_of(first + i, lane, partials, gamma, statistics, parts, channels, eps);
  }
}
