// Mean and variance in one pass: Welford's update in each lane, Chan's merge across the lanes.
//
// Welford keeps the mean of the values so far and the sum of squared deviations from it (m2). A
// new value moves the mean by delta / count. Nothing large is subtracted, so the result is as
// accurate as with two passes. Two such triples merge into one: ../common/moments.h.
//
// Prediction: x is read twice instead of three times: 12 bytes per element, 94 us at 8192 x 4096
// instead of 125 us. But each value needs a division, and each update waits for the one before:
// 130 steps of about 60 cycles per row. Missed: the chain of updates costs time.
// Measured: 128.1 us at 8192x4096, 51 % of the limit (H200, 2026-11-26)
#include <kata/kata.h>

#include "../common/moments.h"

constexpr int THREADS = 128;
constexpr int WARPS = THREADS / 32;

__global__ void layernorm_kernel(const float* x, const float* gamma, const float* beta, float* y,
                                 int rows, int cols, float eps) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * WARPS + threadIdx.x / 32;
  if (row >= rows) return;  // the whole warp: no shuffle misses a lane
  const float* row_x = x + static_cast<size_t>(row) * cols;
  float* row_y = y + static_cast<size_t>(row) * cols;

  int count = 0;
  float mean = 0.0f;
  float m2 = 0.0f;
  for (int col = lane; col < cols; col += 32) {
    const float value = row_x[col];
    const float delta = value - mean;
    ++count;
    mean += __fdividef(delta, count);
    m2 += delta * (value - mean);
  }
  const Moments all = warp_merge({static_cast<float>(count), mean, m2});
  const float inverse_sd = rsqrtf(all.m2 / cols + eps);

  for (int col = lane; col < cols; col += 32) {
    row_y[col] = (row_x[col] - all.mean) * inverse_sd * gamma[col] + beta[col];
  }
}

extern "C" void layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows,
                          int cols, float eps) {
  const int grid = kata::ceil_div(rows, WARPS);
  layernorm_kernel<<<grid, THREADS>>>(x, gamma, beta, y, rows, cols, eps);
}
