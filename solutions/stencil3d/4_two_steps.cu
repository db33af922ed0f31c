// Two steps in one launch: the field after the first step never leaves the chip.
//
// Values travel one cell per step, so a tile with two more rings of cells than it writes has all
// that two steps need; neighbouring tiles compute the rings twice. A block walks through the planes
// and does step 2 one plane behind step 1 (fused_steps.h). The number of slabs is the one whose
// blocks fill the SMs best. Small fields are left to rung 2.
//
// Prediction: 8 launches instead of 16, 1.2 GB each with the rings: 2.2 ms of memory at 512^3, 16
// steps. Shared memory needs 3.5 accesses per cell and step, 1.2 ms, partly beside it: 2500 us.
// Missed: a plane's loads are issued just before they are needed, so a block waits for them.
// Measured: 4854.1 us at 512x512x512x16, 5.4 % of the limit (H200, 2026-11-30)
#include "fused_steps.h"
#include "march.h"

extern "C" void stencil3d(const float* in, float* out, int depth, int rows, int cols, int steps,
                          float center, float neighbor) {
  if (!suits_fused_steps(depth, rows, cols)) {
    return march(in, out, depth, rows, cols, steps, center, neighbor);
  }
  const int launches = kata::ceil_div(steps, 2);
  const Fields fields(in, out, static_cast<size_t>(depth) * rows * cols, launches);
  for (int launch = 0; launch < launches; ++launch) {
    const bool two = steps - 2 * launch >= 2;
    (two ? launch_fused<2, 4> : launch_fused<1, 4>)(fields.from(launch), fields.to(launch), depth,
                                                    rows, cols, center, neighbor);
  }
}
