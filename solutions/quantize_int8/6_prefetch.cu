// Load the next row before the current one is finished: memory never waits for a barrier.
//
// The grid is one wave of blocks that stride over the rows. A block asks for its next slice, and
// only then reduces, rounds and stores the one that it holds, in a second set of registers. Long
// rows work alike: their slices are visited upwards for the maximum and downwards for the result.
// Two slots per warp, used by turns, leave one barrier per row.
//
// Prediction: 4 blocks per SM, each with 16 KB in flight at all times, are 64 KB where 23 KB are
// enough: memory is busy until the last round. 40 us at 8192 x 4096, 99 % of the limit.
// Measured: 41.2 us at 8192x4096, 101 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/grid_size.h"
#include "byte_groups.h"
#include "pack_int8.h"

constexpr int THREADS = 256;
constexpr int BLOCKS_PER_SM = 4;

// The maximum of the row in each of its threads. `parity` alternates from call to call.
template <int LANES>
__device__ unsigned row_max_bits(unsigned bits, int parity) {
  bits = __reduce_max_sync(0xffffffffu, bits);
  if constexpr (LANES > 32) {
    __shared__ unsigned slots[2][LANES / 32];
    if (threadIdx.x % 32 == 0) slots[parity][threadIdx.x / 32] = bits;
    __syncthreads();
#pragma unroll
    for (int warp = 0; warp < LANES / 32; ++warp) bits = max(bits, slots[parity][warp]);
  }
  return bits;
}

template <int LANES, int GROUPS, bool VECTOR>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    quantize_kernel(const float* x, signed char* q, float* scale, int rows, int cols) {
  constexpr int WIDTH = 4 * LANES;  // columns of a group
  constexpr int SLICE = GROUPS * WIDTH;
  const int slices = (cols - 1) / SLICE + 1;
  const int visits = 2 * slices - 1;  // of one row: 0 .. slices - 1 and back to 0
  const int stride = gridDim.x * (THREADS / LANES);

  const auto load = [&](int row, int visit, Vec4(&v)[GROUPS]) {
    const int slice = (visit < slices ? visit : visits - 1 - visit) * SLICE;
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      const float* row_x = x + static_cast<size_t>(row) * cols;
      v[i] = load_group<LANES, VECTOR>(row_x, slice + i * WIDTH, cols);
    }
  };
  int row = (blockIdx.x * THREADS + threadIdx.x) / LANES;
  if (row >= rows) return;  // a whole warp; with a block per row, no thread
  Vec4 held[GROUPS], next[GROUPS];
  load(row, 0, held);
  unsigned bits = 0;
  float inverse = 1.0f;
  int parity = 0;
  for (int visit = 0; row < rows;) {
    const bool row_ends = visit == visits - 1;
    const int next_row = !row_ends ? row : rows - row > stride ? row + stride : rows;
    const int next_visit = row_ends ? 0 : visit + 1;
    if (next_row < rows) load(next_row, next_visit, next);

    if (visit < slices) {
#pragma unroll
      for (int i = 0; i < GROUPS; ++i) bits = max(bits, magnitude_bits(held[i]));
    }
    if (visit == slices - 1) {
      const float largest = __uint_as_float(row_max_bits<LANES>(bits, parity));
      inverse = largest > 0.0f ? 127.0f / largest : 1.0f;
      if (threadIdx.x % LANES == 0) scale[row] = largest > 0.0f ? largest / 127.0f : 1.0f;
      parity ^= 1;
      bits = 0;
    }
    if (visit >= slices - 1) {
      signed char* row_q = q + static_cast<size_t>(row) * cols;
#pragma unroll
      for (int i = 0; i < GROUPS; ++i) {
        const int first = (visits - 1 - visit) * SLICE + i * WIDTH;
        store_bytes<LANES, VECTOR>(row_q, first, cols, pack_int8(held[i], inverse));
      }
    }
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) held[i] = next[i];
    row = next_row;
    visit = next_visit;
  }
}

template <bool VECTOR>
void launch(const float* x, signed char* q, float* scale, int rows, int cols) {
  const int warp_grid = one_wave(kata::ceil_div(rows, THREADS / 32), BLOCKS_PER_SM);
  const int block_grid = one_wave(rows, BLOCKS_PER_SM);
  if (cols <= 256) {
    quantize_kernel<32, 2, VECTOR><<<warp_grid, THREADS>>>(x, q, scale, rows, cols);
  } else if (cols <= 512) {
    quantize_kernel<32, 4, VECTOR><<<warp_grid, THREADS>>>(x, q, scale, rows, cols);
  } else {
    quantize_kernel<256, 4, VECTOR><<<block_grid, THREADS>>>(x, q, scale, rows, cols);
  }
}

extern "C" void quantize_int8(const float* x, signed char* q, float* scale, int rows, int cols) {
  if (cols % 4 == 0) {
    launch<true>(x, q, scale, rows, cols);
  } else {
    launch<false>(x, q, scale, rows, cols);
  }
}
