#pragma once
// Rung 2: a thread walks through the planes. Later rungs leave small fields to it.

#include "columns.h"
#include "fields.h"

constexpr int MARCH_WIDTH = 32, MARCH_HEIGHT = 8;
constexpr int MARCH_SLAB = 64;

inline __global__ void march_kernel(const float* from, float* to, Slabs field, float center,
                                    float neighbor) {
  const int x = field.x0(MARCH_WIDTH) + threadIdx.x, y = field.y0(MARCH_HEIGHT) + threadIdx.y;
  if (x >= field.cols || y >= field.rows) return;
  const size_t plane = field.plane();
  const int z0 = field.z0(), z1 = field.z1();
  size_t i = z0 * plane + static_cast<size_t>(y) * field.cols + x;

  float below = z0 > 0 ? from[i - plane] : 0.0f;
  float middle = from[i];
  for (int z = z0; z < z1; ++z, i += plane) {
    const float above = z < field.depth - 1 ? from[i + plane] : 0.0f;
    float value = middle;
    if (!field.on_boundary(z, y, x)) {
      const float sum = from[i - 1] + from[i + 1] + from[i - field.cols] + from[i + field.cols] +
                        below + above;
      value = center * middle + neighbor * sum;
    }
    to[i] = value;
    below = middle;
    middle = above;
  }
}

inline void march(const float* in, float* out, int depth, int rows, int cols, int steps,
                  float center, float neighbor) {
  const Slabs field = cut(depth, rows, cols, MARCH_HEIGHT, MARCH_WIDTH, MARCH_SLAB);
  const Fields fields(in, out, field.plane() * depth, steps);
  for (int launch = 0; launch < steps; ++launch) {
    march_kernel<<<field.blocks(), dim3(MARCH_WIDTH, MARCH_HEIGHT)>>>(
        fields.from(launch), fields.to(launch), field, center, neighbor);
  }
}
