#pragma once
// Rung 6's work on a share: each thread walks along as many items as the others.

#include "merge_share.h"
#include "run_scan.h"

// Where add_up() leaves the sums of the segments that end in the tile, one after the other.
__device__ inline float* sums(float* words, const Share& share) {
  return words + share.elements;
}

// Adds up a share in `words`, TILE words of shared memory. The sum of the first segment that ends
// here lacks what earlier tiles hold of it. Returns the run behind the last end. All threads call
// it, and may read the sums when it returns.
__device__ inline Run add_up(const float* x, const int* offsets, const Share& share,
                             float* words) {
  const int tid = threadIdx.x;
  int* ends = reinterpret_cast<int*>(sums(words, share));  // as items of this tile, from 0
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = tid + k * THREADS;
    if (i < share.elements) words[i] = x[share.first_element + i];
  }
  for (int s = tid; s < share.segments; s += THREADS) {
    ends[s] = offsets[share.first_segment + s + 1] - share.first_element + s;
  }
  __syncthreads();

  const int begin = min(tid * ITEMS, share.items());
  const int end = min(begin + ITEMS, share.items());
  int low = 0;  // becomes the number of segments that end before item `begin`
  int high = share.segments;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (ends[middle] < begin) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  __syncthreads();  // from here on sums take the places of ends

  const int first = low;
  int segment = low;
  float first_sum = 0.0f;
  Run mine = no_run();
  for (int item = begin; item < end; ++item) {
    if (segment < share.segments && ends[segment] == item) {
      if (segment == first) {
        first_sum = mine.sum;
      } else {
        sums(words, share)[segment] = mine.sum;
      }
      mine = {0.0f, ++segment};
    } else {
      mine.sum += words[item - segment];
    }
  }
  Run total;
  const Run before = exclusive_run<THREADS / 32>(mine, &total);
  if (mine.segment >= 0) sums(words, share)[first] = before.sum + first_sum;
  __syncthreads();
  return total;
}
