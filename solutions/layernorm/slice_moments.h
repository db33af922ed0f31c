#pragma once
// The moments of what one thread holds of a row: GROUPS groups (row_groups.h) from column `slice`
// on.
//
// The values are in registers, so two exact passes cost no memory traffic: the mean, then the
// squared deviations from it. Columns outside the row hold 0 and are not counted.

#include "../common/moments.h"
#include "../common/row_groups.h"

template <int LANES, int GROUPS, bool VECTOR>
__device__ Moments moments_of(const Vec4 (&held)[GROUPS], int slice, int cols) {
  constexpr int WIDTH = 4 * LANES;
  int count = 0;
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < GROUPS; ++i) {
    count += count_inside<LANES, VECTOR>(slice + i * WIDTH, cols);
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += held[i].at[k];
  }
  if (count == 0) return {0.0f, 0.0f, 0.0f};
  const float mean = sum / count;
  float m2 = 0.0f;
#pragma unroll
  for (int i = 0; i < GROUPS; ++i) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float delta = held[i].at[k] - mean;
      if (in_row<LANES, VECTOR>(slice + i * WIDTH, k, cols)) m2 += delta * delta;
    }
  }
  return {static_cast<float>(count), mean, m2};
}
