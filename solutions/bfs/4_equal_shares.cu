// Every block takes 2048 edges of the frontier, whatever their vertices.
//
// The frontier is one list of edges (frontier.h): the atomicAdd that gives a vertex its place in
// the queue also counts its edges, so the list needs no prefix sum. A block stages the slots of its
// tile in shared memory; each thread finds the vertex of an edge by binary search there, so a hub
// is spread over many blocks.
//
// Prediction: hubs no longer matter. 33 million edges of the power law read 134 MB of columns, 30
// us, and as many random words of 4 bytes, a sector of 32 bytes each: 1.1 GB from L2, 170 us. With
// about 50 us for the searches: 0.3 ms. Levels still cost 15 us: the grid 30 ms, the path 1 s.
// Measured: 486.0 us at 1048576x33554432x1, 7.0 % of the limit (H200, 2026-11-30)
#include <kata/kata.h>

#include "claim.h"
#include "level_loop.h"

constexpr int THREADS = 256;

struct Search {
  int* distance;
  int level;

  __device__ bool is_new(int vertex) const { return observe(&distance[vertex]) < 0; }
  __device__ bool claim(int vertex) const { return atomicCAS(&distance[vertex], -1, level) < 0; }
};

extern "C" void bfs(const int* row_start, const int* col, int* distance, int vertices, int edges,
                    int source) {
  search_levels<THREADS>(row_start, col, distance, vertices, edges, source,
                         [&](int level) { return Search{distance, level}; });
}
