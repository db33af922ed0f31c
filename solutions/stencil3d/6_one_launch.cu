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
// Measured: 414.0 us at 128x128x128x64, 3.8 % of the limit (H200, 2026-11-29)
#include <cooperative_groups.h>

#include "four_steps.h"

namespace cg = cooperative_groups;

constexpr int THREADS = 512;
constexpr int MOST_CELLS = 1 << 22;

// Steps 1 to `steps`: the first reads `in`, and the last writes `even`.
__global__ void __launch_bounds__(THREADS)
    all_steps_kernel(const float* in, float* even, float* odd, int depth, int rows, int cols,
                     int steps, float center, float neighbor) {
  const int lane = threadIdx.x % 32;
  const int warp = (blockIdx.x * THREADS + threadIdx.x) / 32, warps = gridDim.x * (THREADS / 32);
  const int plane = rows * cols;
  const float* from = in;
  for (int left = steps - 1; left >= 0; --left) {
    float* to = left % 2 == 0 ? even : odd;
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
    from = to;
    if (left > 0) cg::this_grid().sync();
  }
}

void launch_all_steps(const float* in, float* out, int depth, int rows, int cols, int steps,
                      float center, float neighbor) {
  static const int resident = resident_blocks(all_steps_kernel, THREADS, 0);
  const int blocks = min(resident, kata::ceil_div(depth * rows, THREADS / 32));
  static Scratch<float> scratch;
  float* odd = scratch.get(MOST_CELLS);
  void* arguments[] = {&in, &out, &odd, &depth, &rows, &cols, &steps, &center, &neighbor};
  cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(all_steps_kernel), blocks, THREADS,
                              arguments, 0, nullptr);
}

extern "C" void stencil3d(const float* in, float* out, int depth, int rows, int cols, int steps,
                          float center, float neighbor) {
  const long long cells = static_cast<long long>(depth) * rows * cols;
  if (cells <= MOST_CELLS && steps > 1) {
    return launch_all_steps(in, out, depth, rows, cols, steps, center, neighbor);
  }
  launch_four_steps(in, out, depth, rows, cols, steps, center, neighbor);
}
