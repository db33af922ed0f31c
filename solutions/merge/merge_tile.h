#pragma once
// The merge of one tile in shared memory, and the search for where a diagonal crosses its path.

#include <cuda_runtime.h>

// How many of the first `diagonal` outputs come from a: the largest i for which a[i - 1] is less
// than or equal to b[diagonal - i], so that elements of a come before equal ones of b.
__device__ inline int merge_path(const float* a, int a_count, const float* b, int b_count,
                                 int diagonal) {
  int low = max(0, diagonal - b_count);
  int high = min(diagonal, a_count);
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (a[middle] <= b[diagonal - 1 - middle]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// The same, within [low, high], by a whole warp: 32 lanes test the ends of 32 pieces at once, so a
// step divides what is left by 32. All lanes get the result.
__device__ inline int warp_merge_path(const float* a, const float* b, int diagonal, int low,
                                      int high) {
  const int lane = threadIdx.x % 32;
  while (low < high) {
    const int piece = (high - low + 31) / 32;
    const int last = low + lane * piece + piece - 1;  // of this lane's piece
    const bool is_before = last < high && a[last] <= b[diagonal - 1 - last];
    low += __popc(__ballot_sync(0xffffffffu, is_before)) * piece;
    high = min(high, low + piece - 1);
  }
  return low;
}

template <int THREADS, int ITEMS>
struct MergeTile {
  static constexpr int SIZE = THREADS * ITEMS;

  float out[ITEMS];  // this thread's outputs: the first `count` of them, from `first` on
  int first, count;

  // Merges ITEMS outputs of a and b, which have SIZE elements together, or less in the last tile. A
  // step loads one element: the smaller of two is the output, the larger stays in its register.
  // b lies behind a in one array, so a step has one address. Where a or b ends it loads an element
  // of b, or the last one again, which is not used.
  __device__ void merge(const float* a, int a_count, const float* b, int b_count) {
    first = min(static_cast<int>(threadIdx.x) * ITEMS, a_count + b_count);
    count = min(ITEMS, a_count + b_count - first);
    const int b_first = static_cast<int>(b - a), b_end = b_first + b_count;
    const int last = b_count > 0 ? b_end - 1 : a_count - 1;
    int i = merge_path(a, a_count, b, b_count, first);
    int j = b_first + first - i;
    bool a_left = i < a_count;
    float next_a = a[min(a_left ? i : j, last)];
    float next_b = a[min(j, last)];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      if (k >= count) break;
      const bool from_a = j >= b_end || (a_left && next_a <= next_b);
      out[k] = from_a ? next_a : next_b;
      i += from_a;
      j += !from_a;
      a_left = i < a_count;
      const float next = a[min(from_a && a_left ? i : j, last)];
      next_a = from_a ? next : next_a;
      next_b = from_a ? next_b : next;
    }
  }

  // Puts the outputs in their order. No thread may still read from there.
  __device__ void stage(float* values) const {
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      if (k < count) values[first + k] = out[k];
    }
  }
};

// Loads a tile, merges it and stores it, by a block of THREADS: the outputs from `first` on, of
// which a_first to a_end are elements of A. `values` has MergeTile::SIZE elements.
template <int THREADS, int ITEMS>
__device__ void merge_tile(const float* A, const float* B, float* C, int first, int count,
                           int a_first, int a_end, float* values) {
  const int a_count = a_end - a_first;
  const float* b = B + (first - a_first);
  for (int k = threadIdx.x; k < count; k += THREADS) {
    values[k] = k < a_count ? A[a_first + k] : b[k - a_count];
  }
  __syncthreads();
  MergeTile<THREADS, ITEMS> tile;
  tile.merge(values, a_count, values + a_count, count - a_count);
  __syncthreads();  // all have read the inputs
  tile.stage(values);
  __syncthreads();
  for (int k = threadIdx.x; k < count; k += THREADS) C[first + k] = values[k];
}
