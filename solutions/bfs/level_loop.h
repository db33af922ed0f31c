#pragma once
// The host's side of a search by levels: a launch for each, with a block for each tile.

#include <utility>

#include "expand.h"

__global__ void start_kernel(const int* row_start, int* distance, int source, Frontier frontier) {
  distance[source] = 0;
  put_source(frontier, row_start, source);
}

template <int THREADS, class Search>
__global__ void __launch_bounds__(THREADS)
    level_kernel(const int* row_start, const int* col, Frontier now, Count count, Frontier next,
                 Search search) {
  expand_tile<THREADS>(blockIdx.x, now, count, next, row_start, col, search);
}

// new_search(level) returns the Search of a level, when the one before has been launched.
template <int THREADS, class NewSearch>
void search_levels(const int* row_start, const int* col, int* distance, int vertices, int edges,
                   int source, NewSearch new_search) {
  static Scratch<Count> counts;
  Frontier frontiers[2];
  new_frontiers(frontiers, vertices, edges);
  Count* memory = counts.get(2);
  Frontier now = frontiers[0];
  Frontier next = frontiers[1];
  now.count = memory;
  next.count = memory + 1;
  cudaMemsetAsync(distance, 0xff, vertices * sizeof(int));  // -1
  start_kernel<<<1, 1>>>(row_start, distance, source, now);
  for (int level = 1;; ++level) {
    Count count = 0;
    cudaMemcpy(&count, now.count, sizeof(Count), cudaMemcpyDeviceToHost);
    if (edges_of(count) == 0) return;
    cudaMemsetAsync(next.count, 0, sizeof(Count));
    const int tiles = kata::ceil_div(edges_of(count), TILE);
    level_kernel<THREADS><<<tiles, THREADS>>>(row_start, col, now, count, next, new_search(level));
    std::swap(now, next);
  }
}
