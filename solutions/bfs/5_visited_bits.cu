// A bitmap of the vertices that earlier levels have found turns most edges away in L1.
//
// Distances are written and no longer read. Whether a vertex is new is a bit, which atomicOr sets.
// A kernel may not read plain memory that it changes, and volatile loads go to L2. So a copy of the
// bitmap is made before each level: 128 KiB for 2^20 vertices, which L1 holds. Only edges to
// vertices that the copy does not have ask the bitmap itself.
//
// Prediction: in the power law two of three edges lead to vertices of earlier levels. They cost a
// word from L1 instead of a sector from L2: 60 instead of 170 us, so 0.2 ms in all. The copy takes
// 3 us per level, which the grid and the path notice: 20 % slower. Missed: 499 us against 486, and
// the grid 31 % slower. The sectors of distances were not what took the time.
// Measured: 498.6 us at 1048576x33554432x1, 6.8 % of the limit (H200, 2026-11-30)
#include <kata/kata.h>

#include "level_loop.h"
#include "visited.h"

constexpr int THREADS = 256;

__global__ void mark_kernel(unsigned* visited, int source) {
  visited[source / 32] = bit_of(source);
}

extern "C" void bfs(const int* row_start, const int* col, int* distance, int vertices, int edges,
                    int source) {
  static Scratch<unsigned> scratch;
  const size_t words = words_of(vertices);
  unsigned* visited = scratch.get(2 * words);
  unsigned* before = visited + words;
  cudaMemsetAsync(visited, 0, words * sizeof(unsigned));
  mark_kernel<<<1, 1>>>(visited, source);
  search_levels<THREADS>(row_start, col, distance, vertices, edges, source, [&](int level) {
    cudaMemcpyAsync(before, visited, words * sizeof(unsigned), cudaMemcpyDeviceToDevice);
    return FilteredBits{{visited, distance, level}, before};
  });
}
