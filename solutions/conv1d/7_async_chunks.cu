// Two buffers: cp.async fills one while the other is computed.
//
// A block strides through the tiles in a grid of one wave. The taps come in chunks of 256, and a
// buffer holds a chunk and the inputs that it needs, so the size of a buffer does not depend on k.
// While a chunk is computed, the next chunk's inputs are on their way, also across the end of a
// tile.
//
// Prediction: rung 5 waits for its loads at the start of each tile. At n = 2^24, k = 129 memory
// takes 32 us and arithmetic 66 us at the peak. Overlapped, only the arithmetic is left: at 90 % of
// the peak 74 us. At k = 2047 there is little to overlap: no change. Short filters: see rung 6.
// Measured: 101.0 us at 16777216x129, 65 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <cuda_pipeline.h>
#include <kata/kata.h>

#include "../common/grid_size.h"
#include "../common/sliding_window.h"
#include "guarded4.h"

constexpr int THREADS = 128;
constexpr int BLOCKS_PER_SM = 7;
constexpr int R = 16;  // outputs per thread, and taps per step
constexpr int TILE = THREADS * R;
constexpr int CHUNK = 256;  // taps

struct Buffer {
  float4 x[padded((TILE + CHUNK) / 4)];
  float4 taps[CHUNK / 4];
};

// Starts to copy array[first .. first + 3]; past the end there are zeros.
__device__ void copy4(float4* to, const float* array, size_t first, size_t n) {
  if (first + 3 < n) {
    __pipeline_memcpy_async(to, array + first, sizeof(float4));
  } else {
    *to = load4(array, first, n);
  }
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    conv1d_kernel(const float* x, const float* w, float* y, int n, int k) {
  __shared__ Buffer buffers[2];
  const int tid = threadIdx.x;
  const int outputs = n - k + 1;
  const int tiles = kata::ceil_div(outputs, TILE);
  const int chunks = kata::ceil_div(k, CHUNK);
  const int vectors = TILE / 4 + (min(CHUNK, k) + R - 1) / R * R / 4;
  const auto start_copy = [&](Buffer& buffer, int tile, int chunk, bool new_taps) {
    const size_t first = static_cast<size_t>(tile) * TILE + chunk * CHUNK;
    const bool whole = first + TILE + CHUNK <= static_cast<size_t>(n);
    if (tile < tiles && whole) {
      const float* in = x + first + 4 * tid;
      float4* to = buffer.x + padded(tid);
      for (int i = tid; i < vectors; i += THREADS, in += 4 * THREADS, to += padded(THREADS)) {
        __pipeline_memcpy_async(to, in, sizeof(float4));
      }
    } else if (tile < tiles) {
      for (int i = tid; i < vectors; i += THREADS) {
        copy4(&buffer.x[padded(i)], x, first + 4 * i, n);
      }
    }
    if (new_taps && tid < CHUNK / 4) copy4(&buffer.taps[tid], w, chunk * CHUNK + 4 * tid, k);
    __pipeline_commit();
  };

  int tile = blockIdx.x, chunk = 0;
  float acc[R] = {};
  start_copy(buffers[0], tile, chunk, true);
  for (int step = 0; tile < tiles; ++step) {
    Buffer& buffer = buffers[step % 2];
    const bool last = chunk == chunks - 1;
    start_copy(buffers[(step + 1) % 2], last ? tile + gridDim.x : tile, last ? 0 : chunk + 1,
               chunks > 1 || step == 0);
    __pipeline_wait_prior(1);
    __syncthreads();
    add_taps(acc, buffer.x + padded(tid * R / 4), buffer.taps, min(CHUNK, k - chunk * CHUNK));
    __syncthreads();  // all threads are done with the buffer
    ++chunk;
    if (!last) continue;

#pragma unroll
    for (int v = 0; v < R / 4; ++v) {
      float* results = acc + 4 * v;
      buffer.x[padded(tid * R / 4 + v)] =
          make_float4(results[0], results[1], results[2], results[3]);
    }
    __syncthreads();
    const size_t first = static_cast<size_t>(tile) * TILE;
    for (int i = tid; i < TILE / 4; i += THREADS) {
      store4(y, first + 4 * i, outputs, buffer.x[padded(i)]);
    }
    __syncthreads();
    for (float& sum : acc) sum = 0.0f;
    chunk = 0;
    tile += gridDim.x;
  }
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  const int tiles = kata::ceil_div(n - k + 1, TILE);
  conv1d_kernel<<<one_wave(tiles, BLOCKS_PER_SM), THREADS>>>(x, w, y, n, k);
}
