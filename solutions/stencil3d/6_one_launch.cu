// Small fields: all steps in one cooperative launch, with a barrier of the whole grid between them.
//
// Two fields of 128^3 cells are 17 MB, which stay in L2, and rung 5 has only 9 tiles for 132 SMs:
// with 8 slabs of 16 planes each, 72 blocks. Here a warp takes rows of the field, all resident
// blocks work on each step, and grid.sync() takes the place of the end of a launch. Larger fields
// are left to rung 5.
//
// Prediction: at 128^3 a step reads and writes 8.4 MB in L2, 2.7 us, and the barrier takes 1.2: 64
// steps 250 us, where rung 5 needs 16 launches of 26 us. Missed: 6.5 us a step; rung 5 took 57 us
// a launch.
// Measured: 423.8 us at 128x128x128x64, 3.7 % of the limit (H200, 2026-11-30)
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

extern "C" void stencil3d(const float* in, float* out, int depth, int rows, int cols, int steps,
                          float center, float neighbor) {
  static const int resident = resident_blocks(all_steps_kernel, ALL_THREADS, 0);
  const long long cells = static_cast<long long>(depth) * rows * cols;
  if (cells <= MOST_CELLS && steps > 1) {
    return launch_all_steps(all_steps_kernel, resident, in, out, depth, rows, cols, steps, center,
                            neighbor);
  }
  launch_four_steps(in, out, depth, rows, cols, steps, center, neighbor);
}
