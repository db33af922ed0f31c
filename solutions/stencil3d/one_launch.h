#pragma once
// Rung 6's work in a step, and how its kernel is launched.

#include "four_steps.h"

constexpr int ALL_THREADS = 512;
constexpr int MOST_CELLS = 1 << 22;

/// A warp takes rows of the field, and 32 cells of a row at a time.
__device__ inline void step_rows(const float* from, float* to, int depth, int rows, int cols,
                                 float center, float neighbor) {
  const int lane = threadIdx.x % 32;
  const int warp = (blockIdx.x * ALL_THREADS + threadIdx.x) / 32;
  const int warps = gridDim.x * (ALL_THREADS / 32), plane = rows * cols;
  for (int row = warp; row < depth * rows; row += warps) {
    const int z = row / rows, y = row % rows;
    const bool boundary = z == 0 || y == 0 || z == depth - 1 || y == rows - 1;
    for (int x = lane; x < cols; x += 32) {
      const int i = row * cols + x;
      float value = from[i];
      if (!boundary && x > 0 && x < cols - 1) {
        const float sum = from[i - 1] + from[i + 1] + from[i - cols] + from[i + cols] +
                          from[i - plane] + from[i + plane];
        value = center * value + neighbor * sum;
      }
      to[i] = value;
    }
  }
}

/// kernel(in, even, odd, depth, ..., neighbor); `resident` of its blocks run at once.
template <class Kernel>
void launch_all_steps(Kernel kernel, int resident, const float* in, float* out, int depth, int rows,
                      int cols, int steps, float center, float neighbor) {
  const int blocks = min(resident, kata::ceil_div(depth * rows, ALL_THREADS / 32));
  static Scratch<float> scratch;
  float* odd = scratch.get(MOST_CELLS);
  void* arguments[] = {&in, &out, &odd, &depth, &rows, &cols, &steps, &center, &neighbor};
  cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), blocks, ALL_THREADS, arguments,
                              0, nullptr);
}
