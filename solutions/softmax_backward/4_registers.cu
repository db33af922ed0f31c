// A block per row holds y and dy in registers: both are read once.
//
// 256 threads with 4 float4 of each array hold 4096 columns. All loads come before the sum, 128
// bytes in flight per thread. A longer row takes slices of 4096 columns: only the last slice is
// still in registers after the sum, the others are read again.
// The rung to reach in 30 minutes.
//
// Prediction: 12 bytes per element up to 4096 columns, the least possible. A stream of two reads
// and one write reaches 4.3 TB/s: 94 us at 8192 x 4096. Short rows leave most threads idle: at
// 65536 x 256 the blocks start and end 62 times on each SM: 90 us, where the limit is 44.
// Measured: 93.2 us at 8192x4096, 102 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include "../common/aligned.h"
#include "../common/lane_reduce.h"
#include "../common/row_groups.h"

constexpr int THREADS = 256;
constexpr int GROUPS = 4;
constexpr int WIDTH = 4 * THREADS;  // columns of a group: four per thread
constexpr int SLICE = GROUPS * WIDTH;

template <bool VECTOR>
__global__ void __launch_bounds__(THREADS)
    softmax_backward_kernel(const float* y, const float* dy, float* dx, int cols) {
  __shared__ float slots[THREADS / 32];
  const size_t begin = static_cast<size_t>(blockIdx.x) * cols;

  Vec4 of_y[GROUPS], of_dy[GROUPS];
  const auto load_slice = [&](int slice) {
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      of_y[i] = load_group<THREADS, VECTOR>(y + begin, slice + i * WIDTH, cols);
      of_dy[i] = load_group<THREADS, VECTOR>(dy + begin, slice + i * WIDTH, cols);
    }
  };
  float sum[1] = {};
  for (int slice = 0; slice < cols; slice += SLICE) {
    load_slice(slice);
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
#pragma unroll
      for (int k = 0; k < 4; ++k) sum[0] += of_y[i].at[k] * of_dy[i].at[k];
    }
  }
  sum_lanes<THREADS>(sum, slots);

  const int last = (cols - 1) / SLICE * SLICE;
  for (int slice = last; slice >= 0; slice -= SLICE) {
    if (slice != last) load_slice(slice);  // the last one is still in registers
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
#pragma unroll
      for (int k = 0; k < 4; ++k) of_dy[i].at[k] = of_y[i].at[k] * (of_dy[i].at[k] - sum[0]);
      store_group<THREADS, VECTOR>(dx + begin, slice + i * WIDTH, cols, of_dy[i]);
    }
  }
}

extern "C" void softmax_backward(const float* y, const float* dy, float* dx, int rows, int cols) {
  if (cols % 4 == 0 && is_aligned16(y) && is_aligned16(dy) && is_aligned16(dx)) {
    softmax_backward_kernel<true><<<rows, THREADS>>>(y, dy, dx, cols);
  } else {
    softmax_backward_kernel<false><<<rows, THREADS>>>(y, dy, dx, cols);
  }
}
