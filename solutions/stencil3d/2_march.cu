// A thread walks through the planes and keeps the cells above and below in registers.
//
// Of the seven cells that a step reads, three lie in the thread's own column: the next plane's cell
// is loaded once, is the middle one plane later, and the last one after that. Two of seven loads
// are saved, and all index arithmetic but an addition per plane. A slab of 64 planes per block
// keeps enough blocks (march.h). After Micikevicius, "3D Finite Difference Computation on GPUs
// using CUDA", 2009.
//
// Prediction: planes are read once and a 32nd more at the ends of slabs; rows above and below come
// from L1. 8.4 bytes per cell, 265 us a step at 512^3; 16 steps 4.3 ms. Missed: 360 us a step.
// Measured: 5848.8 us at 512x512x512x16, 4.5 % of the limit (H200, 2026-11-30)
#include "march.h"

extern "C" void stencil3d(const float* in, float* out, int depth, int rows, int cols, int steps,
                          float center, float neighbor) {
  march(in, out, depth, rows, cols, steps, center, neighbor);
}
