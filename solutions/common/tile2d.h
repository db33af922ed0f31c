#pragma once
// A tile of a row-major matrix between global and shared memory, for convolutions.
//
// All threads of a block of `threads` call these with the same arguments. index(row, col) is the
// place of an element in shared memory. The caller synchronizes.

#include <cuda_runtime.h>

struct Tile {
  int first_row, first_col;  // in the matrix
  int height, width;
};

// shared[index(r, c)] = matrix[first_row + r][first_col + c], and 0 outside the matrix.
template <class Index>
__device__ void load_tile(float* shared, const Index& index, const float* matrix, int rows,
                          int cols, Tile tile, int tid, int threads) {
  for (int r = tid / 32; r < tile.height; r += threads / 32) {
    for (int c = tid % 32; c < tile.width; c += 32) {
      const int row = tile.first_row + r;
      const int col = tile.first_col + c;
      const bool in_bounds = row < rows && col < cols;
      shared[index(r, c)] = in_bounds ? matrix[static_cast<size_t>(row) * cols + col] : 0.0f;
    }
  }
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
