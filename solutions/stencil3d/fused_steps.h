#pragma once
// T steps in one launch: the planes of the steps between stay in registers and shared memory.
//
// A block has a tile of 64 columns and 8 x CELLS rows, of which the T outermost on each side are
// only there for the steps between: after each step, one more ring of cells is wrong. It walks
// through the planes as a pipeline: when plane z of the input arrives, step 1 can do plane z - 1,
// step 2 plane z - 2, and so on. A thread keeps, for each step, its cells of the plane before and
// of the middle plane; the next plane's cells are what the step before has just made. The middle
// planes of all T steps are put into shared memory together, so that one barrier serves all steps.

#include <kata/kata.h>

#include "../common/resident_blocks.h"
#include "columns.h"

constexpr int FUSED_WIDTH = 64, FUSED_THREADS_Y = 8;

template <int T, int CELLS>
struct FusedTile {
  static constexpr int HEIGHT = FUSED_THREADS_Y * CELLS;
  static constexpr int OUTPUT_ROWS = HEIGHT - 2 * T, OUTPUT_COLS = FUSED_WIDTH - 2 * T;

  float planes[2][T][HEIGHT][FUSED_WIDTH];  // two, so that one barrier per plane is enough
};

/// Sums of the four neighbours in the plane, for the cells of a thread. Outside the tile a cell
/// stands for its neighbour: what it makes is wrong, and not used.
template <int CELLS>
__device__ void add_neighbors(float (&sums)[CELLS], const float (&own)[CELLS],
                              const float (&plane)[FUSED_THREADS_Y * CELLS][FUSED_WIDTH]) {
  constexpr int HEIGHT = FUSED_THREADS_Y * CELLS;
  const int x = threadIdx.x, y = threadIdx.y * CELLS;
  const int left = max(x - 1, 0), right = min(x + 1, FUSED_WIDTH - 1);
#pragma unroll
  for (int c = 0; c < CELLS; ++c) {
    const float up = c > 0 ? own[c > 0 ? c - 1 : 0] : plane[max(y - 1, 0)][x];
    const float down =
        c < CELLS - 1 ? own[c < CELLS - 1 ? c + 1 : c] : plane[min(y + CELLS, HEIGHT - 1)][x];
    sums[c] += plane[y + c][left] + plane[y + c][right] + up + down;
  }
}

template <int T, int CELLS>
__global__ void __launch_bounds__(FUSED_WIDTH* FUSED_THREADS_Y)
    fused_kernel(const float* from, float* to, Slabs field, float center, float neighbor) {
  using Tile = FusedTile<T, CELLS>;
  extern __shared__ float4 memory[];
  Tile& tile = *reinterpret_cast<Tile*>(memory);
  const int x = field.x0(Tile::OUTPUT_COLS) + static_cast<int>(threadIdx.x) - T;
  const int row = threadIdx.y * CELLS;  // of the tile
  const int y = field.y0(Tile::OUTPUT_ROWS) + row - T;
  const int z0 = field.z0(), z1 = field.z1();
  const bool exists = x >= 0 && x < field.cols;
  const bool stored = exists && threadIdx.x >= T && threadIdx.x < FUSED_WIDTH - T;

  float before[T][CELLS] = {}, middle[T][CELLS] = {};
  for (int z = z0 - T; z < z1 + T; ++z) {
    auto& planes = tile.planes[(z + T) % 2];
#pragma unroll
    for (int s = 0; s < T; ++s) {
#pragma unroll
      for (int c = 0; c < CELLS; ++c) planes[s][row + c][threadIdx.x] = middle[s][c];
    }
    float next[CELLS];
#pragma unroll
    for (int c = 0; c < CELLS; ++c) {
      const bool inside = exists && y + c >= 0 && y + c < field.rows && z >= 0 && z < field.depth;
      const size_t i = z * field.plane() + static_cast<size_t>(y + c) * field.cols + x;
      next[c] = inside ? from[i] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int s = 0; s < T; ++s) {  // step s + 1 makes plane z - 1 - s
      float sums[CELLS];
#pragma unroll
      for (int c = 0; c < CELLS; ++c) sums[c] = before[s][c] + next[c];
      add_neighbors<CELLS>(sums, middle[s], planes[s]);
#pragma unroll
      for (int c = 0; c < CELLS; ++c) {
        const float value = field.on_boundary(z - 1 - s, y + c, x)
                                ? middle[s][c]
                                : center * middle[s][c] + neighbor * sums[c];
        before[s][c] = middle[s][c];
        middle[s][c] = next[c];
        next[c] = value;
      }
    }
    const int done = z - T;
#pragma unroll
    for (int c = 0; c < CELLS; ++c) {
      if (done < z0 || !stored || y + c < 0 || y + c >= field.rows) continue;
      if (row + c < T || row + c >= Tile::HEIGHT - T) continue;
      to[done * field.plane() + static_cast<size_t>(y + c) * field.cols + x] = next[c];
    }
  }
}

/// The number of slabs that takes the least time if `resident` blocks run at once: a block goes
/// through the planes of its slab and `overlap` more, at most half as many.
inline int best_slabs(int tiles, int depth, int overlap, int resident) {
  int best = 1;
  double least = 0;
  for (int slabs = 1; slabs == 1 || slabs * 2 * overlap <= depth; ++slabs) {
    const double waves = (static_cast<long long>(tiles) * slabs + resident - 1) / resident;
    const double time = waves * (kata::ceil_div(depth, slabs) + overlap);
    if (slabs == 1 || time < least) {
      least = time;
      best = slabs;
    }
  }
  return best;
}

/// Smaller fields would leave most of a tile or of a pipeline without cells.
inline bool suits_fused_steps(int depth, int rows, int cols) {
  return depth >= 8 && rows >= 32 && cols >= 32;
}

/// T steps. CELLS: rows per thread.
template <int T, int CELLS>
void launch_fused(const float* from, float* to, int depth, int rows, int cols, float center,
                  float neighbor) {
  using Tile = FusedTile<T, CELLS>;
  const auto kernel = fused_kernel<T, CELLS>;
  static const int resident =
      resident_blocks(kernel, FUSED_WIDTH * FUSED_THREADS_Y, sizeof(Tile));
  Slabs field = cut(depth, rows, cols, Tile::OUTPUT_ROWS, Tile::OUTPUT_COLS, depth);
  field.slab = kata::ceil_div(depth, best_slabs(field.blocks(), depth, 2 * T, resident));
  kernel<<<field.blocks(), dim3(FUSED_WIDTH, FUSED_THREADS_Y), sizeof(Tile)>>>(from, to, field,
                                                                               center, neighbor);
}
