#pragma once
// A frontier as one list of edges, of which every block can take an equal share.
//
// A vertex that is found gets a slot, and the list grows by its degree. One 64-bit counter holds
// the number of slots and the number of edges, so a single atomicAdd gives both a slot and the
// place of the vertex's edges in the list. The places ascend with the slots: what usually takes a
// prefix sum over the degrees is there when the level ends.
//
// The list is cut into tiles. Whoever appends the vertex with a tile's first edge also stores its
// slot for the tile, so that no block has to search for the place where it begins.

#include <kata/kata.h>

#include "../common/block_scan.h"
#include "../common/scratch.h"

constexpr int TILE = 2048;  // edges

using Count = unsigned long long;  // slots in the upper half, edges in the lower one

__host__ __device__ inline int slots_of(Count count) {
  return static_cast<int>(count >> 32);
}
__host__ __device__ inline int edges_of(Count count) {
  return static_cast<int>(count);
}
__host__ __device__ inline Count count_of(int degree) {
  return Count(1) << 32 | static_cast<unsigned>(degree);
}

struct Frontier {
  int2* slots;   // x: the place of the vertex's first edge in the list; y: to be added to a place
                 // for the index in col
  int* first;    // [tiles] the slot that holds the tile's first edge
  Count* count;  // of slots and edges
};

// Puts a vertex, whose row begins at `begin`, at the place that `before` says.
__device__ inline void put(const Frontier& frontier, Count before, int begin, int degree) {
  const int slot = slots_of(before);
  const int place = edges_of(before);
  frontier.slots[slot] = make_int2(place, begin - place);
  for (int tile = kata::ceil_div(place, TILE); tile * TILE < place + degree; ++tile) {
    frontier.first[tile] = slot;
  }
}

__device__ inline void put_source(const Frontier& frontier, const int* row_start, int source) {
  const int degree = row_start[source + 1] - row_start[source];
  put(frontier, 0, row_start[source], degree);
  *frontier.count = count_of(degree);
}

// Appends each vertex[k] that is found[k]. All lanes of the warp call it.
template <int ITEMS>
__device__ void append(const bool (&found)[ITEMS], const int (&vertex)[ITEMS], const int* row_start,
                       const Frontier& frontier) {
  int begin[ITEMS];
  int degree[ITEMS];
  Count mine = 0;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    begin[k] = found[k] ? row_start[vertex[k]] : 0;
    degree[k] = found[k] ? row_start[vertex[k] + 1] - begin[k] : 0;
    if (found[k]) mine += count_of(degree[k]);
  }
  if (!__any_sync(0xffffffffu, mine != 0)) return;
  const Count upto = warp_inclusive_scan(mine);
  Count before = 0;
  if (threadIdx.x % 32 == 31) before = atomicAdd(frontier.count, upto);
  before = __shfl_sync(0xffffffffu, before, 31) + upto - mine;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    if (!found[k]) continue;
    put(frontier, before, begin[k], degree[k]);
    before += count_of(degree[k]);
  }
}

// Memory for the frontiers of two levels. The caller says where the counters are.
inline void new_frontiers(Frontier (&frontiers)[2], int vertices, int edges) {
  static Scratch<int2> slots;
  static Scratch<int> first;
  const int tiles = kata::ceil_div(edges, TILE) + 1;
  int2* all_slots = slots.get(2 * static_cast<size_t>(vertices));
  int* all_first = first.get(2 * static_cast<size_t>(tiles));
  for (int i = 0; i < 2; ++i) {
    frontiers[i] = {all_slots + static_cast<size_t>(i) * vertices, all_first + i * tiles, nullptr};
  }
}
