// The middle plane is in shared memory, so a block loads each of its cells once.
//
// The threads of a tile need each other's middle cells. They put them into shared memory and read
// four neighbours there; only the frame around the tile is loaded in addition. Threads outside the
// field stay: all must reach the barrier. Two buffers need one barrier per plane.
// The rung to reach in 30 minutes.
//
// Prediction: L1 served the neighbours before, at the speed of shared memory, so nothing is gained
// on today's GPUs, where an older one without such an L1 gained a lot: 4.3 ms at 512^3, 16 steps.
// Missed: it costs. At each plane's barrier 16 warps wait for the slowest load.
// Measured: 8556.0 us at 512x512x512x16, 3.0 % of the limit (H200, 2026-11-30)
#include "columns.h"
#include "fields.h"

constexpr int WIDTH = 32, HEIGHT = 16;
constexpr int SLAB = 64;

__global__ void __launch_bounds__(WIDTH* HEIGHT)
    plane_kernel(const float* from, float* to, Slabs field, float center, float neighbor) {
  __shared__ float tile[2][HEIGHT + 2][WIDTH + 2];
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int x = field.x0(WIDTH) + threadIdx.x, y = field.y0(HEIGHT) + threadIdx.y;
  const bool exists = x < field.cols && y < field.rows;
  const size_t plane = field.plane();
  const int z0 = field.z0(), z1 = field.z1();
  size_t i = z0 * plane + static_cast<size_t>(y) * field.cols + x;

  float below = exists && z0 > 0 ? from[i - plane] : 0.0f;
  float middle = exists ? from[i] : 0.0f;
  for (int z = z0; z < z1; ++z, i += plane) {
    auto& cells = tile[z % 2];
    const float above = exists && z < field.depth - 1 ? from[i + plane] : 0.0f;
    const bool interior = exists && !field.on_boundary(z, y, x);
    cells[ty][tx] = middle;
    if (interior && tx == 1) cells[ty][0] = from[i - 1];
    if (interior && tx == WIDTH) cells[ty][WIDTH + 1] = from[i + 1];
    if (interior && ty == 1) cells[0][tx] = from[i - field.cols];
    if (interior && ty == HEIGHT) cells[HEIGHT + 1][tx] = from[i + field.cols];
    __syncthreads();
    float value = middle;
    if (interior) {
      const float sum = cells[ty][tx - 1] + cells[ty][tx + 1] + cells[ty - 1][tx] +
                        cells[ty + 1][tx] + below + above;
      value = center * middle + neighbor * sum;
    }
    if (exists) to[i] = value;
    below = middle;
    middle = above;
  }
}

extern "C" void stencil3d(const float* in, float* out, int depth, int rows, int cols, int steps,
                          float center, float neighbor) {
  const Slabs field = cut(depth, rows, cols, HEIGHT, WIDTH, SLAB);
  Fields fields(in, out, field.plane() * depth, steps);
  for (int launch = 0; launch < steps; ++launch) {
    plane_kernel<<<field.blocks(), dim3(WIDTH, HEIGHT)>>>(fields.from(launch), fields.to(launch),
                                                          field, center, neighbor);
  }
}
