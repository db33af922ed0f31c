#pragma once
// One tile of a frontier's edges: their ends are visited, and those that are new are appended.

#include "frontier.h"

// The last slot whose first edge is not after `place`.
__device__ inline int slot_at(int place, const int* starts, int slots) {
  int low = 0;
  int high = slots;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (starts[middle] <= place) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

// The whole block calls it. Neighbouring threads take neighbouring edges. search.is_new(vertex)
// says whether a vertex may be new, and search.claim(vertex) is true in the one thread that finds
// it; all loads of a thread come before its first claim.
template <int THREADS, class Search>
__device__ void expand_tile(int tile, const Frontier& now, Count count, const Frontier& next,
                            const int* row_start, const int* col, const Search& search) {
  constexpr int ITEMS = TILE / THREADS;
  __shared__ int starts[TILE + 1];
  __shared__ int shifts[TILE + 1];
  const int tid = threadIdx.x;
  const int begin = tile * TILE;
  const int end = min(begin + TILE, edges_of(count));
  const int first = now.first[tile];
  const int last = end < edges_of(count) ? now.first[tile + 1] : slots_of(count) - 1;
  const int slots = last - first + 1;
  for (int s = tid; s < slots; s += THREADS) {
    const int2 slot = now.slots[first + s];
    starts[s] = slot.x;
    shifts[s] = slot.y;
  }
  __syncthreads();

  if (begin + tid / 32 * 32 < end) {  // whole warps: a small tile leaves most of them idle
    int vertex[ITEMS];
    bool found[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      const int place = begin + k * THREADS + tid;
      vertex[k] = place < end ? col[place + shifts[slot_at(place, starts, slots)]] : -1;
    }
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) found[k] = vertex[k] >= 0 && search.is_new(vertex[k]);
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) found[k] = found[k] && search.claim(vertex[k]);
    append(found, vertex, row_start, next);
  }
  __syncthreads();  // starts and shifts are free for the next tile
}
