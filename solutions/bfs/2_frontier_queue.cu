// A queue of the vertices that the last level found: one thread for each of them.
//
// The rung to reach in 30 minutes. The thread whose atomicCAS gives a vertex its distance also
// appends it to the next queue, at a place from atomicAdd, so no vertex is in it twice. The host
// copies the number of appended vertices and launches as many threads.
//
// Prediction: idle threads are gone, the rest is as before. The power law still waits for hubs, 15
// ms, and its million appends to one counter take 1 ns each where they collide: 1 ms. The grid has
// 2046 levels at about 15 us, which the copy to the host and the launch take: 30 ms. The path: 1 s.
// The power law takes longer than before: the append is one more atomic that a hub's thread awaits.
// Measured: 199030.5 us at 1048576x33554432x1, 0.0 % of the limit (H200, 2026-11-30)
#include <kata/kata.h>

#include "claim.h"
#include "queues.h"

constexpr int THREADS = 256;

__global__ void level_kernel(const int* row_start, const int* col, int* distance, int level,
                             Queue now, int count, Queue next) {
  const int place = blockIdx.x * THREADS + threadIdx.x;
  if (place >= count) return;
  const int vertex = now.vertices[place];
  for (int i = row_start[vertex]; i < row_start[vertex + 1]; ++i) {
    const int neighbor = col[i];
    if (claim(distance, neighbor, level)) next.vertices[atomicAdd(next.count, 1)] = neighbor;
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
