// One atomicAdd per warp gives places in the queue to all lanes that have found a vertex.
//
// The lanes step through their edges together. After each step a ballot says which lanes have found
// a vertex; the first of them adds their number to the counter, and each takes the place after
// those of lower lanes. Lanes without an edge left stay in the loop: the ballot needs all 32.
//
// Prediction: at most one thirty-second of the atomics on the counter, and appended vertices are
// written next to each other. Of the power law's 33 million edges one million append: 1 ms less at
// best. The hubs are as slow as before, so 10 % is all that this gains. It loses 27 %: a hub's steps
// also wait for the ballots. Rows of 16 edges or so gain 6 %.
// Measured: 252611.9 us at 1048576x33554432x1, 0.0 % of the limit (H200, 2026-11-30)
#include <kata/kata.h>

#include "claim.h"
#include "queues.h"

constexpr int THREADS = 256;
constexpr unsigned ALL_LANES = 0xffffffffu;

// All lanes of the warp call it.
__device__ void append(bool found, int vertex, Queue queue) {
  const unsigned lanes = __ballot_sync(ALL_LANES, found);
  if (lanes == 0) return;
  const int lane = threadIdx.x % 32;
  const int leader = __ffs(lanes) - 1;
  int first = 0;
  if (lane == leader) first = atomicAdd(queue.count, __popc(lanes));
  first = __shfl_sync(ALL_LANES, first, leader);
  if (found) queue.vertices[first + __popc(lanes & ((1u << lane) - 1))] = vertex;
}

__global__ void level_kernel(const int* row_start, const int* col, int* distance, int level,
                             Queue now, int count, Queue next) {
  const int place = blockIdx.x * THREADS + threadIdx.x;
  const int vertex = place < count ? now.vertices[place] : -1;
  const int begin = vertex < 0 ? 0 : row_start[vertex];
  const int end = vertex < 0 ? 0 : row_start[vertex + 1];
  for (int i = begin; __any_sync(ALL_LANES, i < end); ++i) {
    const int neighbor = i < end ? col[i] : -1;
    append(neighbor >= 0 && claim(distance, neighbor, level), neighbor, next);
  }
}

extern "C" void bfs(const int* row_start, const int* col, int* distance, int vertices, int edges,
                    int source) {
  (void)edges;
  Queues queues = new_queues(vertices);
  start(distance, vertices, source, queues.next);
  int level = 0;
  while (const int count = queues.turn()) {
    ++level;
    level_kernel<<<kata::ceil_div(count, THREADS), THREADS>>>(row_start, col, distance, level,
                                                              queues.now, count, queues.next);
  }
}
