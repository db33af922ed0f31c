// stencil3d: `steps` steps of a 7-point stencil on a field of depth x rows x cols cells.
//
// An interior cell becomes center * itself + neighbor * (the sum of its six neighbours). A cell
// with any coordinate 0 or last keeps its value of `in`. out arrives filled with NaN.
// Given: one thread per cell. You may change the launch and add helpers.
// Check it: harness/kata check stencil3d   or   ctest -R stencil3d
#include <kata/kata.h>

__global__ void step_kernel(const float* from, float* to, int depth, int rows, int cols,
                            float center, float neighbor) {
  // your code
}

extern "C" void stencil3d(const float* in, float* out, int depth, int rows, int cols, int steps,
                          float center, float neighbor) {
  const int threads = 256;
  const int blocks = kata::ceil_div(depth * rows * cols, threads);
  step_kernel<<<blocks, threads>>>(in, out, depth, rows, cols, center, neighbor);  // one step
}
