#pragma once
// dQ as float sums over blocks of keys, for rung 5: boxes of 64 queries and 64 columns in the order
// in which a warpgroup has the values, so that a box is copied in one piece. [heads, padded length
// / queries of a tile, 2 boxes].

#include "../common/hopper.h"
#include "statistics.h"

constexpr int BOX = 64 * 64;

template <int DIM>
float* zeroed_boxes(int heads, int length) {
  static Scratch<float> scratch;
  const size_t count = static_cast<size_t>(heads) * padded(length) * DIM;
  float* sums = scratch.get(count);
  cudaMemsetAsync(sums, 0, count * sizeof(float));
  return sums;
}

// Adds a box to that in device memory: a reduction by the TMA unit, issued by one thread.
__device__ inline void add_box(float* sums, const float (&box)[BOX]) {
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(sums),
      "r"(shared_address(box)), "n"(sizeof(box))
      : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// A thread takes four values: two columns of a row, and of the row 8 below.
template <int DIM>
__global__ void round_kernel(const float4* sums, __half* dQ, int length, int pitch, float factor) {
  constexpr int ACROSS = DIM / 64;  // boxes beside each other
  const int box = blockIdx.x / 8;   // of 8 blocks of 128 threads
  const int thread = threadIdx.x, column = blockIdx.x % 8 * 8 + box % ACROSS * 64;
  const int first = box / ACROSS * 64, head = first / pitch;
  const int row = first % pitch + thread / 32 * 16 + thread % 32 / 4;
  const float4 x = sums[static_cast<size_t>(blockIdx.x) * 128 + thread];
  __half2* to = reinterpret_cast<__half2*>(dQ + (static_cast<size_t>(head) * length + row) * DIM +
                                           column + 2 * (thread % 4));
  if (row < length) to[0] = __floats2half2_rn(factor * x.x, factor * x.y);
  if (row + 8 < length) to[4 * DIM] = __floats2half2_rn(factor * x.z, factor * x.w);
}

template <int DIM>
void round_boxes(const float* sums, __half* dQ, int heads, int length) {
  const int pitch = padded(length), boxes = heads * (pitch / 64) * (DIM / 64);
  round_kernel<DIM><<<boxes * 8, 128>>>(reinterpret_cast<const float4*>(sums), dQ, length, pitch,
                                        1.0f / sqrtf(DIM));
}
