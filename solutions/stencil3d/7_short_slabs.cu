// Small fields: rung 2 with slabs so short that the SMs have all the blocks they hold.
//
// In a step of rung 6, a warp loads its rows 32 cells after 32 cells: 15 times, one after another,
// of rows of 477. Rung 2 has the least to do for a cell, but its slabs of 64 planes are few blocks.
// Here a thread walks through one plane or a few. Where that would be longer than the walks of rung
// 6, its kernel runs. One step of a large field is rung 2's, too.
//
// Prediction: a launch takes 1.3 us and a small field's step 2: 40 steps of 18 x 42 x 477 130 us
// instead of 232, 37 x 111 x 26 x 1 4.5 instead of 18.5, 512 x 512 x 512 x 1 359 instead of 454
// (measured: 365). Without the choice, 128 x 128 x 128 x 64 took 569, where rung 6 takes 430.
// Measured: 4530.8 us at 512x512x512x16, 5.8 % of the limit (H200, 2026-11-30)
#include <cooperative_groups.h>

#include "one_launch.h"

namespace cg = cooperative_groups;

// Steps 1 to `steps`: the first reads `in`, and the last writes `even`.
__global__ void __launch_bounds__(ALL_THREADS)
    all_steps_kernel(const float* in, float* even, float* odd, int depth, int rows, int cols,
                     int steps, float center, float neighbor) {
  const float* from = in;
  for (int left = steps - 1; left >= 0; --left) {
    float* to = left % 2 == 0 ? even : odd;
    step_rows(from, to, depth, rows, cols, center, neighbor);
    from = to;
    if (left > 0) cg::this_grid().sync();
  }
}

/// How often a warp of that kernel loads 32 cells in a step, one after another.
int loads_in_a_row(int resident, int depth, int rows, int cols) {
  return kata::ceil_div(depth * rows, resident * (ALL_THREADS / 32)) * kata::ceil_div(cols, 32);
}

extern "C" void stencil3d(const float* in, float* out, int depth, int rows, int cols, int steps,
                          float center, float neighbor) {
  const long long cells = static_cast<long long>(depth) * rows * cols;
  if (cells > MOST_CELLS && steps > 1) {
    return launch_four_steps(in, out, depth, rows, cols, steps, center, neighbor);
  }
  static const int marching = resident_blocks(march_kernel, MARCH_WIDTH * MARCH_HEIGHT, 0),
                   resident = resident_blocks(all_steps_kernel, ALL_THREADS, 0);
  Slabs field = cut(depth, rows, cols, MARCH_HEIGHT, MARCH_WIDTH, 1);
  field.slab = max(1, min(MARCH_SLAB, field.blocks() / marching));
  if (steps > 1 && 2 * field.slab >= loads_in_a_row(resident, depth, rows, cols)) {
    return launch_all_steps(all_steps_kernel, resident, in, out, depth, rows, cols, steps, center,
                            neighbor);
  }
  const Fields fields(in, out, field.plane() * depth, steps);
  for (int launch = 0; launch < steps; ++launch) {
    march_kernel<<<field.blocks(), dim3(MARCH_WIDTH, MARCH_HEIGHT)>>>(
        fields.from(launch), fields.to(launch), field, center, neighbor);
  }
}
