// The block holds as much of the row as it can in registers, and only the rest in shared memory.
//
// An SM has 256 KiB of registers beside 227 KiB of shared memory. Up to 16384 columns, the block
// needs registers alone. Up to 32768, 512 threads hold half of the row in each, and two blocks
// share an SM: one loads while the other stores. For longer rows 1024 threads hold 81920 columns.
//
// Prediction: no gain at 8192 x 4096. 4096 x 32768 is 1.07 GB: 0.25 ms at 4.3 TB/s, because two
// blocks overlap where rung 6 has one. 128 x 131072: 134 MB from memory and 25 MB from L2: 33 us at
// 4.1 TB/s.
// Measured: 263.2 us at 4096x32768, 96 % of the limit (H200, 2026-11-24)
#include <kata/kata.h>

#include "partial.h"
#include "row_vectors.h"
#include "warp_rows.h"

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

template <bool VECTOR>
void launch(const float* x, float* y, int rows, int cols) {
  if (cols <= 1024) {
    launch_warps<VECTOR>(x, y, rows, cols);
  } else if (cols <= 4096) {
    launch_blocks<256, 4, 0, VECTOR>(x, y, rows, cols);
  } else if (cols <= 16384) {
    launch_blocks<512, 8, 0, VECTOR>(x, y, rows, cols);
  } else if (cols <= 32768) {
    launch_blocks<512, 8, 8, VECTOR>(x, y, rows, cols);
  } else {
    launch_blocks<1024, 8, 12, VECTOR>(x, y, rows, cols);
  }
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  if (cols % 4 == 0 && is_aligned16(x) && is_aligned16(y)) {
    launch<true>(x, y, rows, cols);
  } else {
    launch<false>(x, y, rows, cols);
  }
}
