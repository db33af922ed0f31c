#pragma once
// Rung 5: steps four at a time, and what is left of them at the end.

#include "fused_steps.h"
#include "march.h"

inline void launch_four_steps(const float* in, float* out, int depth, int rows, int cols, int steps,
                              float center, float neighbor) {
  if (!suits_fused_steps(depth, rows, cols)) {
    return march(in, out, depth, rows, cols, steps, center, neighbor);
  }
  const int launches = kata::ceil_div(steps, 4);
  const Fields fields(in, out, static_cast<size_t>(depth) * rows * cols, launches);
  for (int launch = 0; launch < launches; ++launch) {
    const int left = steps - 4 * launch;
    const auto fused = left >= 4   ? launch_fused<4, 8>
                       : left == 3 ? launch_fused<3, 8>
                       : left == 2 ? launch_fused<2, 4>
                                   : launch_fused<1, 4>;
    fused(fields.from(launch), fields.to(launch), depth, rows, cols, center, neighbor);
  }
}
