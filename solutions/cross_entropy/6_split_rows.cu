// Few rows: several blocks share a row, and the last block merges their pairs.
//
// With fewer rows than the GPU runs blocks, a block per row leaves SMs idle. Each row is cut into
// pieces, at least one round of loads each; a block stores the pair (max, sum) of its piece. The
// last block merges the pieces of each row and adds up the losses.
//
// Prediction: at 16 x 128256 the rung before uses 16 of 132 SMs, each 513 KB at no more than 100
// GB/s: 6 us of streaming, plus 4 of latency. 66 blocks per row stream 8.2 MB in 2 us: 7 us in all.
// From 1056 rows on the kernel is that of the rung before. Missed: 10.9 us, since the merge begins
// when all else has ended.
// Measured: 10.9 us at 16x128256, 57 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/block_sum.h"
#include "../common/grid_size.h"
#include "../common/scratch.h"
#include "last_block.h"
#include "log_sum_exp4.h"

constexpr int THREADS = 256;
constexpr int UNROLL = 4;
constexpr int ROUND = 4 * UNROLL * THREADS;  // floats that a block loads at a time
constexpr int BLOCKS_PER_SM = 8;

__device__ unsigned finished_blocks;  // 0 between two calls

__device__ void store_mean(float sum, float* loss, int n) {
  sum = block_sum<THREADS>(sum);
  if (threadIdx.x == 0) *loss = sum / n;
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    rows_kernel(const float* logits, const int* labels, float* block_losses, float* loss, int n,
                int classes) {
  const int tid = threadIdx.x;
  float sum = 0.0f;  // in thread 0
  for (int row = blockIdx.x; row < n; row += gridDim.x) {
    const float* x = logits + static_cast<size_t>(row) * classes;
    const float of_label = tid == 0 ? x[labels[row]] : 0.0f;
    const LogSumExp all = block_merge<THREADS>(thread_log_sum_exp<THREADS, UNROLL>(x, classes));
    sum += all.log() - of_label;
  }
  if (tid == 0) block_losses[blockIdx.x] = sum;
  if (!is_last_block(&finished_blocks)) return;

  float total = 0.0f;
  for (int i = tid; i < static_cast<int>(gridDim.x); i += THREADS) total += block_losses[i];
  store_mean(total, loss, n);
}

// Block b takes piece b % pieces of row b / pieces.
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    pieces_kernel(const float* logits, const int* labels, LogSumExp* pairs, float* loss, int n,
                  int classes, int pieces, int piece_size) {
  const int row = blockIdx.x / pieces;
  const int first = blockIdx.x % pieces * piece_size;
  const int count = min(piece_size, classes - first);
  const float* x = logits + static_cast<size_t>(row) * classes + first;
  const LogSumExp all = block_merge<THREADS>(thread_log_sum_exp<THREADS, UNROLL>(x, count));
  if (threadIdx.x == 0) pairs[blockIdx.x] = all;
  if (!is_last_block(&finished_blocks)) return;

  const int lane = threadIdx.x % 32;
  float sum = 0.0f;  // in lane 0 of each warp
  for (int i = threadIdx.x / 32; i < n; i += THREADS / 32) {
    LogSumExp mine = no_values();
    for (int k = lane; k < pieces; k += 32) mine = merge(mine, pairs[i * pieces + k]);
    const float log_sum = warp_merge(mine).log();
    if (lane == 0) sum += log_sum - logits[static_cast<size_t>(i) * classes + labels[i]];
  }
  store_mean(sum, loss, n);
}

extern "C" void cross_entropy(const float* logits, const int* labels, float* loss, int n,
                              int classes) {
  static Scratch<float> block_losses;
  static Scratch<LogSumExp> pairs;
  const int blocks = one_wave(1 << 30, BLOCKS_PER_SM);
  const int most = kata::ceil_div(classes, ROUND);  // pieces of at least one round
  const int piece_size = (most - 1) / min(most, max(1, blocks / n)) * ROUND + ROUND;
  const int pieces = kata::ceil_div(classes, piece_size);
  if (pieces == 1) {
    const int grid = min(n, blocks);
    rows_kernel<<<grid, THREADS>>>(logits, labels, block_losses.get(grid), loss, n, classes);
  } else {
    pieces_kernel<<<n * pieces, THREADS>>>(logits, labels, pairs.get(n * pieces), loss, n, classes,
                                           pieces, piece_size);
  }
}
