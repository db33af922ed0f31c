// A block per long row: the row waits in shared memory between the passes, so it is read only once.
//
// A warp cannot hold more than some 1000 columns in registers. A block of up to 1024 threads brings
// the row to shared memory on the first pass, where 192 KB hold 49152 columns. Each thread reads
// back its own columns, so the only barrier is that of the reduction. Of a longer row the rest is
// read again, the last columns first, because L2 still has them. Rows of up to 1024 columns stay
// with one warp each.
//
// Prediction: 8 bytes per element instead of 12: 66 us at 8192 x 4096. At 4096 x 32768 one block
// fills an SM, so it loads, then it stores, and memory waits in between: 330 us instead of 270.
// Measured: 66.3 us at 8192x4096, 98 % of the limit (H200, 2026-11-26)
#include <kata/kata.h>

#include "partial.h"
#include "row_vectors.h"
#include "warp_rows.h"

constexpr int UNROLL = 4;
constexpr int MOST_SHARED = 49152;  // columns

// One block of LANES threads per row. The first `held` columns stay in shared memory.
template <int LANES, bool VECTOR>
__global__ void __launch_bounds__(LANES, 1024 / LANES)
    block_kernel(const float* x, float* y, int cols, int held) {
  extern __shared__ float4 shared[];  // [held / WIDTH][LANES]; each thread reads only its own column
  constexpr int WIDTH = 4 * LANES;
  const int tid = threadIdx.x;
  const float* row_x = x + static_cast<size_t>(blockIdx.x) * cols;
  float* row_y = y + static_cast<size_t>(blockIdx.x) * cols;

  Partial mine = empty_partial();
  int first = 0;
  for (; first < cols; first += UNROLL * WIDTH) {
    float4 values[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      values[u] = load4<LANES, VECTOR>(row_x, first + u * WIDTH, cols);
    }
    add(mine, values);
    if (first < held) {
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) shared[(first / WIDTH + u) * LANES + tid] = values[u];
    }
  }
  const Partial all = block_merge<LANES>(mine);
  const float scale = 1.0f / all.sum;

  for (first -= UNROLL * WIDTH; first >= 0; first -= UNROLL * WIDTH) {
    float4 values[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      values[u] = first < held ? shared[(first / WIDTH + u) * LANES + tid]
                               : load4<LANES, VECTOR>(row_x, first + u * WIDTH, cols);
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      const float4 result = scaled(exponentials(values[u], all.max), scale);
      store4<LANES, VECTOR>(row_y, result, first + u * WIDTH, cols);
    }
  }
}

template <int LANES, bool VECTOR>
void launch_blocks(const float* x, float* y, int rows, int cols) {
  constexpr int STEP = UNROLL * 4 * LANES;  // columns per round
  const int rounds = kata::ceil_div(cols < MOST_SHARED ? cols : MOST_SHARED, STEP);
  const int bytes = rounds * STEP * 4;
  cudaFuncSetAttribute(block_kernel<LANES, VECTOR>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       bytes);
  block_kernel<LANES, VECTOR><<<rows, LANES, bytes>>>(x, y, cols, rounds * STEP);
}

template <bool VECTOR>
void launch(const float* x, float* y, int rows, int cols) {
  if (cols <= 1024) {
    launch_warps<VECTOR>(x, y, rows, cols);
  } else if (cols <= 4096) {
    launch_blocks<256, VECTOR>(x, y, rows, cols);
  } else if (cols <= 16384) {
    launch_blocks<512, VECTOR>(x, y, rows, cols);
  } else {
    launch_blocks<1024, VECTOR>(x, y, rows, cols);
  }
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  if (cols % 4 == 0 && is_aligned16(x) && is_aligned16(y)) {
    launch<true>(x, y, rows, cols);
  } else {
    launch<false>(x, y, rows, cols);
  }
}
