// As long as levels are narrow, one block searches alone: its barrier costs less than the grid's.
//
// The block keeps the bitmap and the slots of both frontiers in shared memory, 64 KiB and a bit per
// vertex; the bitmap of a larger graph stays in device memory. At the first level of more than 4096
// edges it stores its state, and the kernel of rung 7 continues.
//
// Prediction: a level takes about 1000 clocks, 0.6 us, instead of 6 us: loads of columns and row
// starts that L1 often has, two barriers of the block, a scan by shuffles and an atomic in shared
// memory. The path takes 40 ms instead of 350 (75 measured: 1.1 us a level), the grid 1.5 ms (11.7:
// 5.7 us, unexplained). The power law saves 8 us and pays as much for a second launch and copies.
// Measured: 77.0 us at 1048576x33554432x1, 44 % of the limit (H200, 2026-11-30)
#include <kata/kata.h>

#include "both_ways.h"

constexpr int THREADS = 1024;
constexpr int NARROW = 2 * TILE;            // edges of a level, and so the most slots of the next
constexpr int WORDS_IN_SHARED = 36 * 1024;  // 1.18 million vertices

struct Progress {
  int level;
  Open open;
};

// One block. visited and before are 0, and all distances -1.
__global__ void __launch_bounds__(THREADS) narrow_kernel(Job job, int shared_words,
                                                         Progress* progress) {
  extern __shared__ int2 slots[];  // [2][NARROW], then the bitmap
  __shared__ Count counts[3];
  const int tid = threadIdx.x;
  unsigned* shared_bits = reinterpret_cast<unsigned*>(slots + 2 * NARROW);
  unsigned* bits = shared_words > 0 ? shared_bits : job.visited;
  const auto frontier = [&](int level) -> Frontier {
    return {slots + level % 2 * NARROW, job.frontier(level).first, &counts[level % 3]};
  };
  for (int word = tid; word < shared_words; word += THREADS) bits[word] = 0;
  __syncthreads();
  if (tid == 0) {
    bits[job.source / 32] = bit_of(job.source);
    job.distance[job.source] = 0;
    put_source(frontier(0), job.row_start, job.source);
    counts[1] = 0;
  }
  __syncthreads();

  int level = 1;
  Count count = counts[0];
  Open open{job.vertices - 1, job.edges - edges_of(count)};
  while (edges_of(count) > 0 && edges_of(count) <= NARROW) {
    if (tid == 0) counts[(level + 1) % 3] = 0;
    const Bits search{bits, job.distance, level};
    for (int tile = 0; tile < kata::ceil_div(edges_of(count), TILE); ++tile) {
      expand_tile<THREADS>(tile, frontier(level - 1), count, frontier(level), job.row_start,
                           job.col, search);
    }
    count = counts[level % 3];
    open = {open.vertices - slots_of(count), open.edges - edges_of(count)};
    ++level;
  }

  const Frontier now = frontier(level - 1);
  for (int s = tid; s < slots_of(count); s += THREADS) {
    job.frontier(level - 1).slots[s] = now.slots[s];
  }
  for (int word = tid; word < shared_words; word += THREADS) job.visited[word] = bits[word];
  if (tid == 0) {
    *job.frontier(level - 1).count = count;
    *job.frontier(level).count = 0;
    *progress = {level, open};
  }
}

__global__ void __launch_bounds__(SEARCH_THREADS, 2) wide_kernel(Job job,
                                                                 const Progress* progress) {
  search_both_ways(job, progress->level, progress->open);
}

extern "C" void bfs(const int* row_start, const int* col, int* distance, int vertices, int edges,
                    int source) {
  static Scratch<Progress> scratch;
  static const int most = resident_blocks(wide_kernel, SEARCH_THREADS, 0);
  Progress* progress = scratch.get(1);
  Job job = new_job(row_start, col, distance, vertices, edges, source);
  const int words = words_of(vertices);
  const int shared_words = words <= WORDS_IN_SHARED ? words : 0;
  const size_t shared_bytes = 2 * NARROW * sizeof(int2) + shared_words * sizeof(unsigned);
  cudaMemsetAsync(distance, 0xff, vertices * sizeof(int));  // -1
  cudaMemsetAsync(job.visited, 0, 2 * words * sizeof(unsigned));
  cudaFuncSetAttribute(narrow_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       static_cast<int>(shared_bytes));
  narrow_kernel<<<1, THREADS, shared_bytes>>>(job, shared_words, progress);
  void* arguments[] = {&job, &progress};
  cudaLaunchCooperativeKernel(wide_kernel, dim3(grid_of<SEARCH_THREADS>(job, most)),
                              dim3(SEARCH_THREADS), arguments, 0, nullptr);
}
