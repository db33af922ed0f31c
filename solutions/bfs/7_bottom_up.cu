// Large levels are searched from the other end: each vertex not found yet looks for a parent.
//
// In the middle of a search most edges of the frontier lead to vertices that have been found, while
// most vertices that have not find a parent among their first neighbours. both_ways.h explains when
// the search turns round. The graph must be undirected: a row lists who can be one's parent.
//
// Prediction: of the power law's 33 million edges a tenth is read: two bottom-up levels read 2^20
// row starts and a sector or two of each row, 60 MB, 20 us each. With two small levels before and
// two after them at 6 us, and seven barriers: 80 us. The grid and the path as before, since their
// frontiers never have much of the graph.
// Measured: 70.6 us at 1048576x33554432x1, 48 % of the limit (H200, 2026-11-30)
#include <kata/kata.h>

#include "both_ways.h"

__global__ void __launch_bounds__(SEARCH_THREADS, 2) search_kernel(Job job) {
  start(job);
  cooperative_groups::this_grid().sync();
  search_both_ways(job, 1, {job.vertices - 1, job.edges - edges_of(job.counts[0])});
}

extern "C" void bfs(const int* row_start, const int* col, int* distance, int vertices, int edges,
                    int source) {
  static const int most = resident_blocks(search_kernel, SEARCH_THREADS, 0);
  Job job = new_job(row_start, col, distance, vertices, edges, source);
  void* arguments[] = {&job};
  cudaLaunchCooperativeKernel(search_kernel, dim3(grid_of<SEARCH_THREADS>(job, most)),
                              dim3(SEARCH_THREADS), arguments, 0, nullptr);
}
