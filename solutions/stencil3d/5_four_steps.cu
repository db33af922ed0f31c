// Four steps in one launch, in tiles that are twice as high.
//
// Rings cost more with each step: of a tile of 64 x 32 cells, four steps leave 56 x 24 to write,
// two thirds. With 8 rows per thread, a tile of 64 x 64 leaves 56 x 56, three quarters. Its planes
// take 128 KB of shared memory and its cells all registers of an SM, so one block runs there. What
// is left of the steps, one to three, is done in a launch of its own.
//
// Prediction: a tile's plane has 4 x 4096 cells with 3.4 shared accesses each, 1 us. At 512^3 5
// slabs are 500 blocks in 4 waves of 111 planes: 440 us a launch, 16 steps 1800 us. Missed: a plane
// takes 2.5 us. Its loads are not issued ahead, and no second block fills the gap.
// Measured: 4532.4 us at 512x512x512x16, 5.8 % of the limit (H200, 2026-11-30)
#include "four_steps.h"

extern "C" void stencil3d(const float* in, float* out, int depth, int rows, int cols, int steps,
                          float center, float neighbor) {
  launch_four_steps(in, out, depth, rows, cols, steps, center, neighbor);
}
