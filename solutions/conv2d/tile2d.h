#pragma once
// A tile of a row-major matrix between global and shared memory, for convolutions.
//
// All threads of a block of `threads` call these with the same arguments. index(row, col) is the
// place of an element in shared memory.

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

struct Tile {
  int first_row, first_col;  // in the matrix
  int height, width;
};

// Starts to copy: shared[index(r, c)] = matrix[first_row + r][first_col + c], and 0 outside the
// matrix. The copies need no registers, so all of them are in flight at once. The caller waits with
// tiles_loaded(). A copy has VEC floats, which divides all columns.
template <int VEC = 1, class Index>
__device__ void load_tile(float* shared, const Index& index, const float* matrix, int rows,
                          int cols, Tile tile, int tid, int threads) {
  for (int r = tid / 32; r < tile.height; r += threads / 32) {
    for (int c = tid % 32 * VEC; c < tile.width; c += 32 * VEC) {
      const int row = tile.first_row + r;
      const int col = tile.first_col + c;
      const bool in_bounds = row < rows && col < cols;
      const float* from = in_bounds ? matrix + static_cast<size_t>(row) * cols + col : matrix;
      const size_t zeros = in_bounds ? 0 : VEC * sizeof(float);
      __pipeline_memcpy_async(&shared[index(r, c)], from, VEC * sizeof(float), zeros);
    }
  }
}

// All tiles that the threads of the block have started to load are there. Every thread calls it.
__device__ inline void tiles_loaded() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
}

// matrix[first_row + r][first_col + c] = shared[index(r, c)] where that is inside the matrix.
template <class Index>
__device__ void store_tile(const float* shared, const Index& index, float* matrix, int rows,
                           int cols, Tile tile, int tid, int threads) {
  for (int r = tid / 32; r < tile.height; r += threads / 32) {
    for (int c = tid % 32; c < tile.width; c += 32) {
      const int row = tile.first_row + r;
      const int col = tile.first_col + c;
      const bool in_bounds = row < rows && col < cols;
      if (in_bounds) matrix[static_cast<size_t>(row) * cols + col] = shared[index(r, c)];
    }
  }
}
