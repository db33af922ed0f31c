// Most rows stay on the chip from the statistics to the normalisation.
//
// A block owns 497 rows of 65536 x 256: 208 in shared memory, 128 in registers. L2 keeps most of
// the others, which are read again. There is one grid barrier (rung 6: two): blocks add their sums
// in double by atomics. Odd or wide rows, and twice the rows that fit here, go rung 8's way.
//
// Prediction: 41 us at 65536 x 256 on an H200: 18 to read x, 5 for the sums and the barrier, 18 to
// store y. On an H100 a trial for 256 channels took 50.3 us (rung 8: 75.7, a copy 43.4).
// Measured: 55.2 us at 65536x256, 79 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <cooperative_groups.h>

#include "../common/resident_blocks.h"
#include "evict_first.h"
#include "whole_rows.h"

constexpr int CHUNKS = 13;             // bulk copies, of two rows per thread
constexpr int IN_SHARED = 2 * CHUNKS;  // rows per thread
constexpr int IN_REGISTERS = 16;
constexpr int HELD = IN_SHARED + IN_REGISTERS;
constexpr int BATCH = 4;                 // rows in flight per thread, of those read twice
constexpr int SLOTS = 2 * MAX_CHANNELS;  // of the threads' moments
constexpr int SHARED_BYTES = (SLOTS + IN_SHARED * MAX_CHANNELS) * sizeof(float);

__global__ void __launch_bounds__(THREADS, 1)
    batchnorm_kernel(const float* __restrict__ x, const float* gamma, const float* beta,
                     float* __restrict__ y, int n, int channels, float eps, int rows_per_block,
                     ChannelSums* sums, ChannelSums* next_sums) {
  extern __shared__ __align__(128) float slots[];
  __shared__ Barrier full[CHUNKS];
  float* const kept = slots + SLOTS;  // rows
  const RowShare mine(n, channels, rows_per_block);
  const int rows = mine.rows;
  const int step = 2 * mine.step;  // rows of a chunk
  if (threadIdx.x == 0) {
    for (Barrier& barrier : full) init(&barrier, 1);
    fence_init();
    for (int row = 0, k = 0; row < mine.count && k < CHUNKS; row += step, ++k) {
      const int bytes = min(step, mine.count - row) * channels * sizeof(float);
      const float* from = x + static_cast<size_t>(mine.begin + row) * channels;
      arrive_expecting(&full[k], bytes);
      load_bytes_once(kept + row * channels, from, bytes, &full[k]);
    }
  }
  Pack<float, 4> held[IN_REGISTERS];
#pragma unroll
  for (int j = 0; j < IN_REGISTERS; ++j) {
    if (IN_SHARED + j < rows) held[j] = load_pack_once<4>(x + mine.at(IN_SHARED + j));
  }
  next_sums->clear();
  __syncthreads();  // the mbarriers are initialised

  Moments moments[4] = {};
  const auto add_chunk = [&](int k) {
    if (k >= CHUNKS || 2 * k >= rows) return;
    wait(&full[k], 0);
    Pack<float, 4> pair[2];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      if (2 * k + r < rows) pair[r] = load_pack<4>(kept + mine.in_block(2 * k + r));
    }
    add_rows(moments, pair, min(2, rows - 2 * k));
  };
  int chunk = 0;
  for (int j = HELD; j < rows; j += BATCH) {
    Pack<float, 4> batch[BATCH];
#pragma unroll
    for (int r = 0; r < BATCH; ++r) {
      if (j + r < rows) batch[r] = load_pack<4>(x + mine.at(j + r));
    }
    add_chunk(chunk++);  // while the batch is under way
    add_chunk(chunk++);
    add_rows(moments, batch, min(BATCH, rows - j));
  }
  while (chunk < CHUNKS) add_chunk(chunk++);
  if (rows > IN_SHARED) add_rows(moments, held, min(IN_REGISTERS, rows - IN_SHARED));

  sums->add(mine, moments, slots);
  cooperative_groups::this_grid().sync();
  if (rows == 0) return;
  Normalise by[4];
  sums->statistics(mine.channel, n, gamma, eps, by);
  const auto shift = load_pack<4>(beta + mine.channel);
  const auto store_row = [&](int j, Pack<float, 4> values) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      values.at[k] = (values.at[k] - by[k].mean) * by[k].scale + shift.at[k];
    }
    stream_pack(y + mine.at(j), values);
  };
#pragma unroll
  for (int j = 0; j < IN_REGISTERS; ++j) {
    if (IN_SHARED + j < rows) store_row(IN_SHARED + j, held[j]);
  }
#pragma unroll 8
  for (int j = rows - 1; j >= HELD; --j) store_row(j, load_pack_once<4>(x + mine.at(j)));
#pragma unroll 4
  for (int j = 0; j < min(rows, IN_SHARED); ++j) {
    store_row(j, load_pack<4>(kept + mine.in_block(j)));
  }
}

extern "C" void batchnorm(const float* x, const float* gamma, const float* beta, float* y, int n,
                          int channels, float eps) {
  static const int most = resident_blocks(batchnorm_kernel, THREADS, SHARED_BYTES);
  static Scratch<ChannelSums> scratch;
  static bool odd = false;  // a launch clears the sums of the next one
  const bool fits = channels % 4 == 0 && channels <= MAX_CHANNELS;
  const int step = fits ? THREADS / (channels / 4) : 0;
  if (n > 2 * HELD * step * most) {
    return evict_first::batchnorm(x, gamma, beta, y, n, channels, eps);
  }
  int rows = max(kata::ceil_div(n, most), 4 * step);
  const int shared_bytes = (SLOTS + min(rows, IN_SHARED * step) * channels) * sizeof(float);
  odd = !odd;
  ChannelSums* sums = scratch.get_zeroed(2) + odd;
  ChannelSums* next_sums = scratch.get_zeroed(2) + !odd;
  void* arguments[] = {&x, &gamma, &beta, &y, &n, &channels, &eps, &rows, &sums, &next_sums};
  cudaLaunchCooperativeKernel(batchnorm_kernel, dim3(kata::ceil_div(n, rows)), dim3(THREADS),
                              arguments, shared_bytes);
}
