#pragma once
// The search that looks for parents where that is less work than following the frontier's edges.
// Beamer, Asanovic and Patterson, "Direction-Optimizing Breadth-First Search", 2012.
//
// A vertex that has not been found, but has a neighbour that was found before this level, belongs
// to this level: an earlier neighbour would have found it earlier. So a bottom-up level needs the
// bitmap of the vertices found before, not the frontier, and stops at the first such neighbour.

#include "job.h"

constexpr int SEARCH_THREADS = 512;
constexpr int LARGE = 1 << 16;  // edges

// Whether one of the neighbours in col[begin] to col[end - 1] is in `bits`; four loads at a time.
__device__ inline bool meets(const int* col, int begin, int end, const unsigned* bits) {
  constexpr int AT_ONCE = 4;
  for (int i = begin; i < end; i += AT_ONCE) {
    int neighbor[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) neighbor[k] = col[min(i + k, end - 1)];
    bool found = false;
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
      found |= (bits[neighbor[k] / 32] & bit_of(neighbor[k])) != 0;
    }
    if (found) return true;
  }
  return false;
}

// A warp takes the 32 vertices of a word, so nobody else writes it. `before` equals `visited` when
// the level begins. Adds the vertices that are found, and their edges, to `total`.
__device__ inline void find_parents(const Job& job, int level, Count* total) {
  const int lane = threadIdx.x % 32;
  Count mine = 0;
  for (int word = thread_of_grid() / 32; word < words_of(job.vertices);
       word += threads_of_grid() / 32) {
    const unsigned seen = job.before[word];
    const int vertex = 32 * word + lane;
    const bool is_open = vertex < job.vertices && (seen & bit_of(vertex)) == 0;
    if (!__any_sync(0xffffffffu, is_open)) continue;
    const int begin = is_open ? job.row_start[vertex] : 0;
    const int end = is_open ? job.row_start[vertex + 1] : 0;
    const bool found = meets(job.col, begin, end, job.before);
    const unsigned all_found = __ballot_sync(0xffffffffu, found);
    if (found) {
      job.distance[vertex] = level;
      mine += count_of(end - begin);
    }
    if (lane == 0 && all_found != 0) job.visited[word] = seen | all_found;
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    mine += __shfl_down_sync(0xffffffffu, mine, offset);
  }
  if (lane == 0 && mine != 0) atomicAdd(total, mine);
}

// The frontier of the vertices that the last bottom-up level has found.
__device__ inline void append_found(const Job& job, const Frontier& frontier) {
  const int lane = threadIdx.x % 32;
  for (int word = thread_of_grid() / 32; word < words_of(job.vertices);
       word += threads_of_grid() / 32) {
    const unsigned last = job.visited[word] & ~job.before[word];
    const bool found[] = {(last >> lane & 1) != 0};
    const int vertex[] = {32 * word + lane};
    append(found, vertex, job.row_start, frontier);
  }
}

// What is not in a frontier before this level: vertices, and their entries.
struct Open {
  int vertices;
  int edges;
};

// How many entries a bottom-up level is expected to read. If a part p of all entries belongs to
// vertices that have been found, a vertex tries 1 / p neighbours, but none reads past its row.
__device__ inline float price_of_parents(const Job& job, const Open& open) {
  const float tries = static_cast<float>(job.edges) / (job.edges - open.edges);
  return fminf(open.vertices * tries, static_cast<float>(open.edges));
}

// Levels from `level` on, until one finds nothing. `open` is without the first frontier.
__device__ inline void search_both_ways(const Job& job, int level, Open open) {
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  bool is_up = false;
  for (;; ++level) {
    Frontier now = job.frontier(level - 1);
    const Count count = *now.count;
    const int edges = edges_of(count);
    if (edges == 0) return;
    if (thread_of_grid() == 0) job.counts[(level + 1) % 3] = 0;
    const bool was_up = is_up;
    is_up = edges > price_of_parents(job, open);
    if (was_up && !is_up) {
      now.count = &job.counts[3];
      append_found(job, now);
      grid.sync();
    }
    if (is_up || edges >= LARGE) {
      copy_bits(job);
      if (thread_of_grid() == 0) job.counts[3] = 0;
      grid.sync();
    }
    if (is_up) {
      find_parents(job, level, job.frontier(level).count);
    } else {
      expand_level<SEARCH_THREADS>(job, now, count, level);
    }
    grid.sync();
    const Count found = *job.frontier(level).count;
    open = {open.vertices - slots_of(found), open.edges - edges_of(found)};
  }
}
