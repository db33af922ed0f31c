#pragma once
// Four consecutive floats of a row-major matrix, with bounds checks.
//
// VECTOR: one 16-byte access. This needs an aligned matrix and `cols` a multiple of 4, so that
// every row is aligned and no vector crosses the end of a row. Otherwise: four checked accesses.

#include <cuda_runtime.h>

#include "../common/aligned.h"

__device__ inline float load_or_zero(const float* row, int col, int cols) {
  return col < cols ? row[col] : 0.0f;
}

// matrix[row][col .. col + 3]; elements outside the matrix are 0.
template <bool VECTOR>
__device__ float4 load4(const float* matrix, int row, int col, int rows, int cols) {
  if (row >= rows) return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  const float* p = matrix + static_cast<size_t>(row) * cols;
  if (VECTOR) {
    return col < cols ? *reinterpret_cast<const float4*>(p + col)
                      : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  }
  return make_float4(load_or_zero(p, col, cols), load_or_zero(p, col + 1, cols),
                     load_or_zero(p, col + 2, cols), load_or_zero(p, col + 3, cols));
}

// matrix[row][col .. col + 3] = values[0 .. 3]; elements outside the matrix are skipped.
template <bool VECTOR>
__device__ void store4(float* matrix, const float* values, int row, int col, int rows, int cols) {
  if (row >= rows) return;
  float* p = matrix + static_cast<size_t>(row) * cols;
  if (VECTOR) {
    if (col < cols) {
      *reinterpret_cast<float4*>(p + col) = make_float4(values[0], values[1], values[2], values[3]);
    }
  } else {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (col + j < cols) p[col + j] = values[j];
    }
  }
}

// values[0 .. 3] = p[0 .. 3] from shared memory; p is aligned to 16 bytes.
__device__ inline void load_shared4(float* values, const float* p) {
  const float4 v = *reinterpret_cast<const float4*>(p);
  values[0] = v.x;
  values[1] = v.y;
  values[2] = v.z;
  values[3] = v.w;
}
