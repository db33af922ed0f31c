#pragma once
// What the kernels of a search that runs in one launch share.

#include <cooperative_groups.h>

#include <algorithm>

#include "../common/resident_blocks.h"
#include "expand.h"
#include "visited.h"

struct Job {
  const int* row_start;
  const int* col;
  int* distance;
  int vertices;
  int edges;
  int source;
  unsigned* visited;
  unsigned* before;       // what visited held when the last large level began
  Frontier frontiers[2];  // of even and of odd levels; without counters
  Count* counts;          // [4] of levels modulo 3, and of a frontier that is made from bits

  __device__ Frontier frontier(int level) const {
    const Frontier& memory = level % 2 == 0 ? frontiers[0] : frontiers[1];
    return {memory.slots, memory.first, &counts[level % 3]};
  }
};

inline Job new_job(const int* row_start, const int* col, int* distance, int vertices, int edges,
                   int source) {
  static Scratch<unsigned> bits;
  static Scratch<Count> counts;
  Job job{row_start, col, distance, vertices, edges, source};
  job.visited = bits.get(2 * static_cast<size_t>(words_of(vertices)));
  job.before = job.visited + words_of(vertices);
  job.counts = counts.get(4);
  new_frontiers(job.frontiers, vertices, edges);
  return job;
}

__device__ inline int thread_of_grid() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ inline int threads_of_grid() {
  return gridDim.x * blockDim.x;
}

// The state before level 1. A grid barrier must follow.
__device__ inline void start(const Job& job) {
  const int stride = threads_of_grid();
  for (int v = thread_of_grid(); v < job.vertices; v += stride) {
    job.distance[v] = v == job.source ? 0 : -1;
  }
  for (int word = thread_of_grid(); word < words_of(job.vertices); word += stride) {
    job.visited[word] = word == job.source / 32 ? bit_of(job.source) : 0;
    job.before[word] = 0;
  }
  if (thread_of_grid() == 0) {
    put_source(job.frontier(0), job.row_start, job.source);
    job.counts[1] = 0;
  }
}

// Copies the bitmap for the filter. A grid barrier must follow.
__device__ inline void copy_bits(const Job& job) {
  for (int word = thread_of_grid(); word < words_of(job.vertices); word += threads_of_grid()) {
    job.before[word] = job.visited[word];
  }
}

// Visits the ends of the edges of `count`, the frontier of the level before.
template <int THREADS>
__device__ void expand_level(const Job& job, const Frontier& now, Count count, int level) {
  const FilteredBits search{{job.visited, job.distance, level}, job.before};
  const int tiles = kata::ceil_div(edges_of(count), TILE);
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    expand_tile<THREADS>(tile, now, count, job.frontier(level), job.row_start, job.col, search);
  }
}

// As many blocks as the graph keeps busy, and no more than run at once.
template <int THREADS>
int grid_of(const Job& job, int most) {
  const int of_edges = kata::ceil_div(job.edges, TILE);
  const int of_vertices = kata::ceil_div(job.vertices, 4 * THREADS);
  return std::min(std::max(of_edges, of_vertices), most);
}
