#pragma once
// How a field is cut: a block has a tile of rows and columns, and walks through a slab of planes.

#include <kata/kata.h>

struct Slabs {
  int depth, rows, cols;
  int tiles_y, tiles_x, slab;  // tiles of a plane, planes of a slab

  __host__ __device__ bool on_boundary(int z, int y, int x) const {
    return z == 0 || y == 0 || x == 0 || z == depth - 1 || y == rows - 1 || x == cols - 1;
  }
  __host__ __device__ size_t plane() const { return static_cast<size_t>(rows) * cols; }
  int blocks() const { return tiles_y * tiles_x * kata::ceil_div(depth, slab); }

  // Row, column and plane of a block's first cell, for tiles of height x width cells.
  __device__ int y0(int height) const { return blockIdx.x / tiles_x % tiles_y * height; }
  __device__ int x0(int width) const { return blockIdx.x % tiles_x * width; }
  __device__ int z0() const { return blockIdx.x / (tiles_x * tiles_y) * slab; }
  __device__ int z1() const { return min(z0() + slab, depth); }
};

/// Slabs of at most `most` planes. Blocks are numbered along x: only there may a grid be large.
inline Slabs cut(int depth, int rows, int cols, int height, int width, int most) {
  return {depth, rows, cols, kata::ceil_div(rows, height), kata::ceil_div(cols, width), most};
}
