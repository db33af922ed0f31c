#pragma once
// The moments (moments.h) of a row whose slices belong to different blocks.

#include "../common/look_back.h"
#include "../common/moments.h"
#include "../common/pack.h"

__device__ inline float sum_of_lanes(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  return value;
}

// Of what a warp holds of a slice of `count` values: PACKS packs per lane, pack p of thread t from
// value 4 (t + p THREADS) on. They are in registers, so two exact passes cost no memory traffic:
// the mean, then the squared deviations from it.
template <int THREADS, int PACKS>
__device__ Moments moments_of_warp(const Pack<float, 4> (&values)[PACKS], int count) {
  float sum = 0.0f;
  float held = 0.0f;
#pragma unroll
  for (int p = 0; p < PACKS; ++p) {
    if (4 * (threadIdx.x + p * THREADS) >= count) continue;
    held += 4.0f;
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += values[p].at[k];
  }
  held = sum_of_lanes(held);
  sum = sum_of_lanes(sum);
  const float mean = held > 0.0f ? sum / held : 0.0f;
  float m2 = 0.0f;
#pragma unroll
  for (int p = 0; p < PACKS; ++p) {
    if (4 * (threadIdx.x + p * THREADS) >= count) continue;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float delta = values[p].at[k] - mean;
      m2 += delta * delta;
    }
  }
  return {held, mean, sum_of_lanes(m2)};
}

struct Statistics {
  float mean, inverse_sd;
};

// What the blocks of a row have published, lane i that of slice i: its mean and its M2.
template <int SLICE>
struct SliceWords {
  Word mean, m2;

  __device__ void read(const Word* of_row, int slices) {
    const int slice = min(static_cast<int>(threadIdx.x % 32), slices - 1);
    mean = observe(of_row + slice);
    m2 = observe(of_row + slices + slice);
  }
  // Of the whole row, in all lanes of the warp.
  __device__ Moments merge(const Word* of_row, unsigned tag, int slices, int cols) {
    while (__any_sync(0xffffffffu, tag_of(mean) != tag || tag_of(m2) != tag)) read(of_row, slices);
    const int slice = threadIdx.x % 32;
    Moments mine = {0.0f, 0.0f, 0.0f};
    if (slice < slices) {
      const float count = min(SLICE, cols - slice * SLICE);
      mine = {count, value_of<float>(mean), value_of<float>(m2)};
    }
    return warp_merge(mine);
  }
};
