// One launch per level, one thread per vertex: those of the last level visit their neighbours.
//
// Every level goes through all distances to find its own vertices. A neighbour without a distance
// gets the next one by atomicCAS. The host reads after each level whether anything was found.
//
// Prediction: eight levels of a power law read 4 MB of distances each, which is nothing, and every
// edge once. But the edges of a hub are one thread's work: 300 thousand of them at 50 ns are 15 ms.
// A path of 2^16 vertices takes 2^16 launches of 2^16 threads, one of which does something: 15 us
// each with the copy to the host, 1 s. The power law misses that 10 times: an edge of a hub takes
// 500 ns, probably since its column, its distance and the atomic wait for each other.
// Measured: 149855.6 us at 1048576x33554432x1, 0.0 % of the limit (H200, 2026-11-30)
#include <kata/kata.h>

#include "../common/scratch.h"
#include "claim.h"

constexpr int THREADS = 256;

__global__ void start_kernel(int* distance, int vertices, int source) {
  const int vertex = blockIdx.x * THREADS + threadIdx.x;
  if (vertex < vertices) distance[vertex] = vertex == source ? 0 : -1;
}

__global__ void level_kernel(const int* row_start, const int* col, int* distance, int vertices,
                             int level, int* any_found) {
  const int vertex = blockIdx.x * THREADS + threadIdx.x;
  if (vertex >= vertices || observe(&distance[vertex]) != level - 1) return;
  bool found = false;
  for (int i = row_start[vertex]; i < row_start[vertex + 1]; ++i) {
    if (claim(distance, col[i], level)) found = true;
  }
  if (found) atomicExch(any_found, 1);
}

extern "C" void bfs(const int* row_start, const int* col, int* distance, int vertices, int edges,
                    int source) {
  (void)edges;
  static Scratch<int> scratch;
  int* any_found = scratch.get(1);
  const int grid = kata::ceil_div(vertices, THREADS);
  start_kernel<<<grid, THREADS>>>(distance, vertices, source);
  int found = 1;
  for (int level = 1; found; ++level) {
    cudaMemsetAsync(any_found, 0, sizeof(int));
    level_kernel<<<grid, THREADS>>>(row_start, col, distance, vertices, level, any_found);
    cudaMemcpy(&found, any_found, sizeof(int), cudaMemcpyDeviceToHost);
  }
}
