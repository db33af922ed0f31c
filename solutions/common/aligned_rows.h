#pragma once
// Matrices whose rows begin at multiples of 16 bytes.
//
// 16-byte loads, cp.async and the TMA unit need that. A matrix with other rows is copied once, with
// zeros after the end of each row. The copy reads and writes the matrix once; a product of size n
// reads it n / 128 times, so for large n the copy is cheap.

#include <cuda_runtime.h>
#include <kata/kata.h>
#include <stdint.h>

#include "scratch.h"

template <class T>
struct AlignedRows {
  const T* data;
  int stride;  // elements from one row to the next: a multiple of 16 bytes
};

// One thread for each 16 bytes of the copy.
template <class T>
__global__ void pad_rows(const T* from, uint4* to, int cols, int cells_per_row, int64_t cells) {
  constexpr int PER_CELL = 16 / sizeof(T);
  const int64_t cell = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (cell >= cells) return;
  const int64_t row = cell / cells_per_row;
  const int first = static_cast<int>(cell % cells_per_row) * PER_CELL;
  __align__(16) T elements[PER_CELL];
#pragma unroll
  for (int i = 0; i < PER_CELL; ++i) {
    elements[i] = first + i < cols ? from[row * cols + first + i] : T(0);
  }
  to[cell] = *reinterpret_cast<const uint4*>(elements);
}

// `data` itself if its rows are aligned, else a copy in `scratch`.
template <class T>
AlignedRows<T> aligned_rows(const T* data, int rows, int cols, Scratch<uint4>& scratch) {
  constexpr int PER_CELL = 16 / sizeof(T);
  if (cols % PER_CELL == 0) return {data, cols};
  const int cells_per_row = kata::ceil_div(cols, PER_CELL);
  const int64_t cells = static_cast<int64_t>(rows) * cells_per_row;
  uint4* const copy = scratch.get(cells);
  pad_rows<<<(cells - 1) / 256 + 1, 256>>>(data, copy, cols, cells_per_row, cells);
  return {reinterpret_cast<const T*>(copy), cells_per_row * PER_CELL};
}
