#pragma once
// The places of all assignments by a counting sort: rungs 2 to 6.
//
// A tile is 2048 assignments, eight warps with 256 neighbouring ones each. counts[expert][tile] is
// scanned in this order, so an entry's sum is the end of what this expert has in this tile.

#include <kata/kata.h>

#include "../common/count_scan.h"

constexpr int MOST_EXPERTS = 1024;
constexpr int SORT_THREADS = 256;
constexpr int SORT_WARPS = SORT_THREADS / 32;
constexpr int WARP_ASSIGNMENTS = 256;
constexpr int TILE = SORT_WARPS * WARP_ASSIGNMENTS;

inline __global__ void count_kernel(const int* expert, unsigned* counts, int assignments,
                                    int experts) {
  __shared__ unsigned tile_counts[MOST_EXPERTS];
  const int first = blockIdx.x * TILE;
  for (int e = threadIdx.x; e < experts; e += SORT_THREADS) tile_counts[e] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < TILE && i < assignments - first; i += SORT_THREADS) {
    atomicAdd(&tile_counts[expert[first + i]], 1u);  // a count needs no order
  }
  __syncthreads();
  for (int e = threadIdx.x; e < experts; e += SORT_THREADS) {
    counts[e * gridDim.x + blockIdx.x] = tile_counts[e];
  }
}

// The place of this lane's assignment to expert e, by a whole warp; -1 has no place. `next` has the
// next place of each expert. Lanes with the same expert rank by lane.
__device__ inline unsigned take_place(int e, unsigned* next) {
  const int lane = threadIdx.x % 32;
  const unsigned lanes = __match_any_sync(0xffffffffu, e);
  const unsigned place = e < 0 ? 0 : next[e] + __popc(lanes & ((1u << lane) - 1));
  __syncwarp();  // all have read before one writes
  if (e >= 0 && lanes >> lane == 1) next[e] = place + 1;  // the highest of them
  __syncwarp();
  return place;
}

// A warp counts its own assignments, learns where each expert's begin, and then takes them 32 at a
// time.
inline __global__ void place_kernel(const int* expert, const unsigned* ends, int* offsets,
                                    int* position, int assignments, int experts) {
  __shared__ unsigned next[SORT_WARPS][MOST_EXPERTS];  // counts of the warp; later its places
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const int first = blockIdx.x * TILE + warp * WARP_ASSIGNMENTS + lane;
  for (int e = lane; e < experts; e += 32) next[warp][e] = 0;
  __syncwarp();
  for (int a = first; a < first + WARP_ASSIGNMENTS && a < assignments; a += 32) {
    atomicAdd(&next[warp][expert[a]], 1u);
  }
  __syncthreads();
  for (int e = tid; e < experts; e += SORT_THREADS) {
    const int entry = e * gridDim.x + blockIdx.x;
    unsigned place = entry > 0 ? ends[entry - 1] : 0;
    if (blockIdx.x == 0) offsets[e] = static_cast<int>(place);
    for (int w = 0; w < SORT_WARPS; ++w) {  // warps in order: the sort is stable
      const unsigned count = next[w][e];
      next[w][e] = place;
      place += count;
    }
  }
  if (blockIdx.x == 0 && tid == 0) offsets[experts] = assignments;
  __syncthreads();

  for (int k = 0; k < WARP_ASSIGNMENTS; k += 32) {  // all lanes vote
    const int a = first + k;
    const unsigned place = take_place(a < assignments ? expert[a] : -1, next[warp]);
    if (a < assignments) position[a] = static_cast<int>(place);
  }
}

inline void place_assignments(const int* expert, int* offsets, int* position, int assignments,
                              int experts) {
  static Scratch<unsigned> scratch;
  const int tiles = kata::ceil_div(assignments, TILE);
  unsigned* counts = scratch.get(static_cast<size_t>(tiles) * experts);
  count_kernel<<<tiles, SORT_THREADS>>>(expert, counts, assignments, experts);
  inclusive_scan(counts, counts, tiles * experts);
  place_kernel<<<tiles, SORT_THREADS>>>(expert, counts, offsets, position, assignments, experts);
}
