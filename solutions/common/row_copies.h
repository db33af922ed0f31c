#pragma once
// A row in shared memory, copied by cp.async while the thread does other work.
//
// A stage holds groups of 4 * LANES columns in the order of the row (row_groups.h). Each thread
// reads back what it copied itself, so no barrier is needed between copy and load: it waits for its
// own copies only.

#include <cuda_pipeline_primitives.h>

#include "row_groups.h"

// Starts to copy this thread's columns of the group at `first` to the group at `stage`. Columns
// outside the row become 0.
template <int LANES, bool VECTOR>
__device__ void copy_group(float* stage, const float* row, int first, int cols) {
  if (!in_row<LANES, VECTOR>(first, 3, cols)) {
    store_group<LANES, VECTOR>(stage, 0, 4 * LANES, load_group<LANES, VECTOR>(row, first, cols));
  } else if (VECTOR) {
    __pipeline_memcpy_async(stage + column<LANES, VECTOR>(0, 0),
                            row + column<LANES, VECTOR>(first, 0), 16);
  } else {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      __pipeline_memcpy_async(stage + column<LANES, VECTOR>(0, k),
                              row + column<LANES, VECTOR>(first, k), 4);
    }
  }
}

// What copy_group brought for this thread.
template <int LANES, bool VECTOR>
__device__ Vec4 staged_group(const float* stage) {
  return load_group<LANES, VECTOR>(stage, 0, 4 * LANES);
}
