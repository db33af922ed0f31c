#pragma once
// From the moments of parts of each channel to the two numbers that normalise it.

#include <cuda_runtime.h>

#include "channel_tile.h"

struct Normalise {
  float mean;
  float scale;  // gamma / sqrt(var + eps)
};

constexpr int STATISTICS_CHANNELS = 8;  // of a block; 32 threads for each

// partials is [parts, channels].
__global__ void statistics_kernel(const Moments* partials, const float* gamma, Normalise* result,
                                  int parts, int channels, float eps) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  Moments mine[1] = {};
  if (channel < channels) {
#pragma unroll 4
    for (int part = threadIdx.y; part < parts; part += blockDim.y) {
      mine[0] = merge(mine[0], partials[static_cast<size_t>(part) * channels + channel]);
    }
  }
  merge_rows(mine);
  if (threadIdx.y == 0 && channel < channels) {
    const float variance = mine[0].m2 / mine[0].count;
    result[channel] = {mine[0].mean, rsqrtf(variance + eps) * gamma[channel]};
  }
}

inline void launch_statistics(const Moments* partials, const float* gamma, Normalise* result,
                              int parts, int channels, float eps) {
  const dim3 block(STATISTICS_CHANNELS, TILE_THREADS / STATISTICS_CHANNELS);
  const int grid = (channels - 1) / STATISTICS_CHANNELS + 1;
  statistics_kernel<<<grid, block>>>(partials, gamma, result, parts, channels, eps);
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
    const int channel = first + i;
    Moments mine = {};
    for (int part = lane; part < parts; part += 32) {
      mine = merge(mine, partials[static_cast<size_t>(part) * channels + channel]);
    }
    mine = warp_merge(mine);
    if (lane == 0) {
      statistics[channel] = {mine.mean, rsqrtf(mine.m2 / mine.count + eps) * gamma[channel]};
    }
  }
}
