#pragma once
// Mean and variance down the columns (channels) of a matrix [n, channels], WIDTH channels per
// thread.
//
// A block is blockDim.x threads wide and blockDim.y high. Neighbouring threads take neighbouring
// channels, so a warp reads contiguous memory. The blockDim.y threads of a channel share out its
// rows, and their moments are merged in shared memory.
//
// A launch covers the matrix with `tiles` blocks across, and cuts the rows into `parts`. Block b
// has tile b % tiles of part b / tiles: a one-dimensional grid, because gridDim.y ends at 65535.

#include <kata/kata.h>

#include "../common/moments.h"
#include "../common/pack.h"

constexpr int TILE_THREADS = 256;

struct TilePlan {
  dim3 block;
  int tiles;
  int parts;
  int rows_per_part;

  int grid() const { return tiles * parts; }
};

// At most `blocks` blocks, with at least 4 rows for each of their threads.
inline TilePlan plan_tiles(int n, int channels, int width, int blocks) {
  const int groups = kata::ceil_div(channels, width);  // of channels, one per thread
  const int lanes = groups < 32 ? groups : 32;
  TilePlan plan = {};
  plan.block = dim3(lanes, TILE_THREADS / lanes);
  plan.tiles = kata::ceil_div(groups, lanes);
  const int fewest_rows = 4 * plan.block.y;
  const int wanted = plan.tiles < blocks ? blocks / plan.tiles : 1;
  const int rows = kata::ceil_div(n, wanted);
  plan.rows_per_part = rows > fewest_rows ? rows : fewest_rows;
  plan.parts = kata::ceil_div(n, plan.rows_per_part);
  return plan;
}

// What one thread of such a launch works on.
template <int WIDTH>
struct TileShare {
  int channel;  // the first of WIDTH; may be past the last channel
  int part;
  int begin, end;  // rows of the part

  __device__ TileShare(int n, int tiles, int rows_per_part)
      : channel(WIDTH * (blockIdx.x % tiles * blockDim.x + threadIdx.x)),
        part(blockIdx.x / tiles),
        begin(part * rows_per_part),
        end(n - begin < rows_per_part ? n : begin + rows_per_part) {}
};

// Welford's update: adds one value.
__device__ inline void add(Moments& moments, float value) {
  const float delta = value - moments.mean;
  moments.count += 1.0f;
  moments.mean += __fdividef(delta, moments.count);
  moments.m2 += delta * (value - moments.mean);
}

// Adds ROWS rows, of which the first `count` exist. They are in registers, so two exact passes cost
// no memory traffic: the means, then the squared deviations. One division for all of them.
template <int ROWS, int WIDTH>
__device__ void add_rows(Moments (&moments)[WIDTH], const Pack<float, WIDTH> (&rows)[ROWS],
                         int count) {
  const float total = moments[0].count + count;
  const float share = __fdividef(count, total);
#pragma unroll
  for (int k = 0; k < WIDTH; ++k) {
    float sum = 0.0f;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) sum += r < count ? rows[r].at[k] : 0.0f;
    const float mean = __fdividef(sum, count);
    float m2 = 0.0f;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const float deviation = r < count ? rows[r].at[k] - mean : 0.0f;
      m2 += deviation * deviation;
    }
    const float delta = mean - moments[k].mean;
    moments[k].m2 += m2 + delta * delta * moments[k].count * share;
    moments[k].mean += delta * share;
    moments[k].count = total;
  }
}

// Merges the moments of all threads with the same threadIdx.x. The result is in those with
// threadIdx.y == 0. All threads of the block call it, once in a kernel.
template <int WIDTH>
__device__ void merge_rows(Moments (&mine)[WIDTH]) {
  __shared__ Moments slots[WIDTH * TILE_THREADS];
  const int threads = blockDim.x * blockDim.y;
  const int tid = threadIdx.y * blockDim.x + threadIdx.x;
#pragma unroll
  for (int k = 0; k < WIDTH; ++k) slots[k * threads + tid] = mine[k];
  __syncthreads();
  if (threadIdx.y != 0) return;
#pragma unroll
  for (int k = 0; k < WIDTH; ++k) {
    for (int other = tid + blockDim.x; other < threads; other += blockDim.x) {
      mine[k] = merge(mine[k], slots[k * threads + other]);
    }
  }
}
