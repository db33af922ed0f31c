#pragma once
// Rung 7's kernel: a block per row, in registers and shared memory.

#include <kata/kata.h>

#include "partial.h"
#include "row_vectors.h"

// One block of LANES threads per row. Of the row's groups, the first IN_REGISTERS stay in registers
// and the next IN_SHARED (a multiple of UNROLL) in shared memory. Any others are read twice.
template <int LANES, int IN_REGISTERS, int IN_SHARED, bool VECTOR>
__global__ void __launch_bounds__(LANES, 1024 / LANES)
    block_kernel(const float* x, float* y, int cols) {
  extern __shared__ float4 shared[];  // [IN_SHARED][LANES]; each thread reads only its own column
  constexpr int UNROLL = 4;
  constexpr int WIDTH = 4 * LANES;
  constexpr int SHARED_FROM = IN_REGISTERS * WIDTH;
  constexpr int REREAD_FROM = SHARED_FROM + IN_SHARED * WIDTH;
  const int tid = threadIdx.x;
  const float* row_x = x + static_cast<size_t>(blockIdx.x) * cols;
  float* row_y = y + static_cast<size_t>(blockIdx.x) * cols;
  Partial mine = empty_partial();

  float4 held[IN_REGISTERS];
#pragma unroll
  for (int i = 0; i < IN_REGISTERS; ++i) held[i] = load4<LANES, VECTOR>(row_x, i * WIDTH, cols);
  add(mine, held);

  int first = SHARED_FROM;
  for (; first < cols; first += UNROLL * WIDTH) {
    float4 values[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      values[u] = load4<LANES, VECTOR>(row_x, first + u * WIDTH, cols);
    }
    add(mine, values);
    if (first < REREAD_FROM) {
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) {
        shared[((first - SHARED_FROM) / WIDTH + u) * LANES + tid] = values[u];
      }
    }
  }

  const Partial all = block_merge<LANES>(mine);
  const float scale = 1.0f / all.sum;

  for (first -= UNROLL * WIDTH; first >= SHARED_FROM; first -= UNROLL * WIDTH) {
    float4 values[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      values[u] = first < REREAD_FROM ? shared[((first - SHARED_FROM) / WIDTH + u) * LANES + tid]
                                      : load4<LANES, VECTOR>(row_x, first + u * WIDTH, cols);
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      const float4 result = scaled(exponentials(values[u], all.max), scale);
      store4<LANES, VECTOR>(row_y, result, first + u * WIDTH, cols);
    }
  }
#pragma unroll
  for (int i = 0; i < IN_REGISTERS; ++i) {
    const float4 result = scaled(exponentials(held[i], all.max), scale);
    store4<LANES, VECTOR>(row_y, result, i * WIDTH, cols);
  }
}

template <int LANES, int IN_REGISTERS, int IN_SHARED, bool VECTOR>
void launch_blocks(const float* x, float* y, int rows, int cols) {
  constexpr int SHARED_BYTES = IN_SHARED * LANES * 16;
  if (SHARED_BYTES > 0) {
    cudaFuncSetAttribute(block_kernel<LANES, IN_REGISTERS, IN_SHARED, VECTOR>,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
  }
  block_kernel<LANES, IN_REGISTERS, IN_SHARED, VECTOR><<<rows, LANES, SHARED_BYTES>>>(x, y, cols);
}

// Rows of more than 4096 columns.
template <bool VECTOR>
void launch_long_rows(const float* x, float* y, int rows, int cols) {
  if (cols <= 16384) {
    launch_blocks<512, 8, 0, VECTOR>(x, y, rows, cols);
  } else if (cols <= 32768) {
    launch_blocks<512, 8, 8, VECTOR>(x, y, rows, cols);
  } else {
    launch_blocks<1024, 8, 12, VECTOR>(x, y, rows, cols);
  }
}
