#pragma once
// A warp factors a matrix of up to 32 x 32: lane i has row i in registers.

// Rows at N and beyond are those of an identity matrix. The multiplier of a column comes from the
// lane of its row by a shuffle. Entries above the diagonal hold anything afterwards.
template <int N>
__device__ void warp_factor(float (&row)[N]) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int j = 0; j < N; ++j) {
    const float root = sqrtf(__shfl_sync(0xffffffffu, row[j], j));
    row[j] = lane == j ? root : row[j] / root;
#pragma unroll
    for (int k = j + 1; k < N; ++k) row[k] -= row[j] * __shfl_sync(0xffffffffu, row[j], k);
  }
}
