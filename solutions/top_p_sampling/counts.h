#pragma once
// The number of tokens at each depth, in shared memory.

#include "packs.h"

// COPIES counts for each depth; a lane adds to the one that its number says.
template <int COPIES>
struct Counts {
  int* at;  // [DEPTHS][COPIES]

  template <int THREADS>
  __device__ void clear() {
    for (int i = threadIdx.x; i < DEPTHS * COPIES; i += THREADS) at[i] = 0;
    __syncthreads();
  }

  // Tokens outside [0, DEPTHS) are not counted.
  __device__ void add(int depth, int tokens) {
    if (static_cast<unsigned>(depth) < DEPTHS) {
      atomicAdd(&at[depth * COPIES + threadIdx.x % COPIES], tokens);
    }
  }

  // Neighbours that are equal are added at once, where there are copies.
  template <int WIDTH>
  __device__ void add(const Pack<float, WIDTH>& logits, int top) {
    int depth = top - step_of(logits.at[0]), run = 1;
#pragma unroll
    for (int k = 1; k < WIDTH; ++k) {
      const int next = top - step_of(logits.at[k]);
      if (COPIES > 1 && next == depth) {
        ++run;
      } else {
        add(depth, run);
        depth = next, run = 1;
      }
    }
    add(depth, run);
  }

  __device__ int operator[](int depth) const {
    int sum = 0;
#pragma unroll
    for (int c = 0; c < COPIES; ++c) sum += at[depth * COPIES + c];
    return sum;
  }
};
