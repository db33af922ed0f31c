// A block per long row: the row stays in registers and shared memory, so it is read only once.
//
// An SM has 256 KiB of registers and 227 KiB of shared memory. Up to 4096 columns, 256 threads
// hold the row in registers. Up to 32768, 512 threads hold half of it in registers and half in
// shared memory, and two blocks share an SM: one loads while the other stores. For longer rows
// 1024 threads hold 81920 columns and read the others again, the last ones first, because L2 still
// has them.
//
// Prediction: 8 bytes per element. 4096 x 32768: 1.07 GB, 0.25 ms at 4.3 TB/s instead of 0.37. 128
// x 131072: 134 MB from memory and 25 MB from L2: 33 us at 4.1 TB/s.
// Measured: 266.7 us at 4096x32768, 96 % of the limit (H200, 2026-11-22)
#include <kata/kata.h>

#include <float.h>
#include <math.h>

#include "row_vectors.h"

constexpr int THREADS = 128;
constexpr int WARPS = THREADS / 32;

// Rows of at most GROUPS * 128 columns, one warp per row: the kernel of rung 4.
template <int GROUPS, bool VECTOR>
__global__ void softmax_rows_kernel(const float* x, float* y, int rows, int cols) {
  constexpr int WIDTH = 4 * 32;
  const int warp = threadIdx.x / 32;
  const int row = blockIdx.x * WARPS + warp;
  if (row >= rows) return;  // the whole warp returns, so the shuffles have all lanes
  const float* row_x = x + static_cast<size_t>(row) * cols;
  float* row_y = y + static_cast<size_t>(row) * cols;

  float4 held[GROUPS];
#pragma unroll
  for (int i = 0; i < GROUPS; ++i) held[i] = load4<32, VECTOR>(row_x, i * WIDTH, cols);

  float max = -INFINITY;
#pragma unroll
  for (int i = 0; i < GROUPS; ++i) max = fmaxf(max, max_of(held[i]));
  max = warp_max(max);

  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < GROUPS; ++i) {
    held[i] = exponentials(held[i], max);
    sum += sum_of(held[i]);
  }
  const float scale = 1.0f / warp_sum(sum);  // then multiply instead of dividing each element

#pragma unroll
  for (int i = 0; i < GROUPS; ++i) {
    store4<32, VECTOR>(row_y, scaled(held[i], scale), i * WIDTH, cols);
  }
}

struct Partial {
  float max;
  float sum;  // of exp(x - max)
};

// The pair of no elements. Not -infinity: merging two of those would compute exp(-inf + inf), NaN.
__device__ Partial empty_partial() {
  return {-FLT_MAX, 0.0f};
}

// Merges the pairs of a block; every thread gets the result. All threads call it, once per kernel.
template <int LANES>
__device__ Partial block_merge(Partial mine) {
  __shared__ Partial slots[LANES / 32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  float max = warp_max(mine.max);
  float sum = warp_sum(mine.sum * __expf(mine.max - max));
  if (lane == 0) slots[warp] = {max, sum};
  __syncthreads();
  mine = lane < LANES / 32 ? slots[lane] : empty_partial();
  max = warp_max(mine.max);
  sum = warp_sum(mine.sum * __expf(mine.max - max));
  return {max, sum};
}

// Adds COUNT groups to a pair: one maximum, and so one rescaling, for all of them.
template <int COUNT>
__device__ void add(Partial& mine, const float4 (&values)[COUNT]) {
  float max = mine.max;
#pragma unroll
  for (int i = 0; i < COUNT; ++i) max = fmaxf(max, max_of(values[i]));
  mine.sum *= __expf(mine.max - max);
  mine.max = max;
#pragma unroll
  for (int i = 0; i < COUNT; ++i) mine.sum += sum_of(exponentials(values[i], max));
}

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
  const int grid = kata::ceil_div(rows, WARPS);
  if (cols <= 128) {
    softmax_rows_kernel<1, VECTOR><<<grid, THREADS>>>(x, y, rows, cols);
  } else if (cols <= 512) {
    softmax_rows_kernel<4, VECTOR><<<grid, THREADS>>>(x, y, rows, cols);
  } else if (cols <= 1024) {
    softmax_rows_kernel<8, VECTOR><<<grid, THREADS>>>(x, y, rows, cols);
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
