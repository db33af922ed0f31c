#pragma once
// Rows of a matrix in pieces of four floats per lane, for a warp whose lanes own neighbouring
// groups of four columns.

#include <cuda_runtime.h>

// segment[i] = row[col + i], and 0 from row[cols] on. SIZE, col and cols are multiples of 4, and
// the row starts at a multiple of 16 bytes.
template <int SIZE>
__device__ __forceinline__ void load_segment(float (&segment)[SIZE], const float* row, int col,
                                             int cols) {
#pragma unroll
  for (int i = 0; i < SIZE; i += 4) {
    float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (col + i < cols) v = *reinterpret_cast<const float4*>(row + col + i);
    segment[i] = v.x;
    segment[i + 1] = v.y;
    segment[i + 2] = v.z;
    segment[i + 3] = v.w;
  }
}

// row[first_col + 4 * lane + i] = values[i], for columns below cols. The row may start anywhere, so
// float4 stores are not allowed, and 4-byte stores with a stride of 16 bytes would use a quarter of
// each sector. The warp turns its 128 values around in `scratch`, 512 bytes of shared memory: each
// of four stores then covers 128 contiguous bytes. All lanes call this.
__device__ __forceinline__ void store_segment(const float (&values)[4], float4* scratch, float* row,
                                              int first_col, int cols) {
  const int lane = threadIdx.x % 32;
  const float* turned = reinterpret_cast<const float*>(scratch);
  __syncwarp();  // the values of the call before have been read
  scratch[lane] = make_float4(values[0], values[1], values[2], values[3]);
  __syncwarp();
#pragma unroll
  for (int i = lane; i < 128; i += 32) {
    if (first_col + i < cols) row[first_col + i] = turned[i];
  }
}
