#pragma once
// A cluster of blocks per row, each with a share of its tiles: rungs 6 and 7.

#include "../common/cluster.h"
#include "row_kernel.h"

constexpr int THREADS = 512;
constexpr int COPIES = 2;
constexpr int MOST_BLOCKS = 2 * 132;  // run at once: two fit on an SM
constexpr int COUNT_BYTES = DEPTHS * COPIES * sizeof(int);
constexpr int HEADROOM = 8 * 256;  // steps from a guessed maximum to the top of the counts

template <int CLUSTER>
__device__ void cluster_sync() {
#if __CUDA_ARCH__ >= 900
  if constexpr (CLUSTER > 1) {
    cooperative_groups::this_cluster().sync();
    return;
  }
#endif
  __syncthreads();
}

// Another block's copy of a shared variable.
template <int CLUSTER, class T>
__device__ const T* of_rank(const T* own, int rank) {
#if __CUDA_ARCH__ >= 900
  if constexpr (CLUSTER > 1) return cooperative_groups::this_cluster().map_shared_rank(own, rank);
#endif
  return own;
}

// The largest value of all blocks, in all threads.
template <int CLUSTER>
__device__ int cluster_max(int value) {
  __shared__ int published;
  const int of_block = block_max<THREADS>(value);
  if (threadIdx.x == 0) published = of_block;
  cluster_sync<CLUSTER>();
  int most = of_block;
  for (int rank = 0; rank < CLUSTER; ++rank) most = max(most, *of_rank<CLUSTER>(&published, rank));
  return most;
}

// The largest of 4096 tokens, 128 neighbours for each of 32 places in the row.
template <int WIDTH>
__device__ int guess_max(const float* row, int vocab) {
  const int stride = vocab / 32 / 4 * 4;
  int largest = INT_MIN;
  for (int i = threadIdx.x; i < 4096 / WIDTH; i += THREADS) {
    const int at = i * WIDTH / 128 * stride + i * WIDTH % 128;
    largest = max(largest, largest_step(load_logits<WIDTH>(row, at, vocab)));
  }
  return block_max<THREADS>(largest);
}

// A block's share of the nucleus: what comes before it.
struct Share {
  float before, bound;
  int ties_before;
  bool is_chosen;  // the bound is crossed in this block; if in none, it is the last with weight
};

template <int CLUSTER>
__device__ Share share_of(const TileSum& own, Cut cut, float number) {
  __shared__ TileSum published;
  if (threadIdx.x == 0) published = own;
  cluster_sync<CLUSTER>();
  const int lane = threadIdx.x % 32, rank = cluster_rank<CLUSTER>();
  const TileSum its = lane < CLUSTER ? *of_rank<CLUSTER>(&published, lane) : TileSum{0.0f, 0};
  const int ties_before = warp_inclusive_scan(its.ties) - its.ties;
  const float w = its.weight(cut, ties_before);
  const float end = warp_inclusive_scan(w);
  const float bound = number * __shfl_sync(0xffffffffu, end, 31);
  const unsigned above = __ballot_sync(0xffffffffu, w > 0.0f && end > bound);
  const unsigned any = __ballot_sync(0xffffffffu, w > 0.0f);
  const int chosen = above != 0 ? __ffs(above) - 1 : 31 - __clz(any | 1);
  const float before = __shfl_sync(0xffffffffu, end, max(rank - 1, 0));
  return {rank > 0 ? before : 0.0f, bound, __shfl_sync(0xffffffffu, ties_before, rank),
          rank == chosen};
}

template <int CLUSTER, int WIDTH, bool GUESSES>
__global__ void __launch_bounds__(THREADS, 2) cluster_kernel(Rows rows) {
  extern __shared__ int all_counts[];  // [DEPTHS][COPIES]
  __shared__ int folded[DEPTHS];
  __shared__ Tiles sums;
  const int r = blockIdx.x / CLUSTER, tid = threadIdx.x, vocab = rows.vocab;
  const float* row = rows.row(r);
  const int per_block = kata::ceil_div(kata::ceil_div(vocab, TILE), CLUSTER);
  const int first = cluster_rank<CLUSTER>() * per_block;  // tile
  const int begin = min(first * TILE, vocab), end = min(begin + per_block * TILE, vocab);
  Counts<COPIES> counts = {all_counts};

  int top, largest = INT_MIN;
  if constexpr (GUESSES) {
    top = guess_max<WIDTH>(row, vocab) + HEADROOM;
  } else {
    for_each_pack<THREADS, WIDTH, 16>(row, begin, end, [&](const Pack<float, WIDTH>& logits) {
      largest = max(largest, largest_step(logits));
    });
    top = cluster_max<CLUSTER>(largest);
  }
  while (true) {  // twice, if the guess was too low
    counts.template clear<THREADS>();
    for_each_pack<THREADS, WIDTH, 16>(row, begin, end, [&](const Pack<float, WIDTH>& logits) {
      if (GUESSES) largest = max(largest, largest_step(logits));
      counts.add(logits, top);
    });
    if (!GUESSES) break;
    const int most = cluster_max<CLUSTER>(largest);
    if (most <= top) break;
    top = most;
    cluster_sync<CLUSTER>();
  }
  __syncthreads();
  for (int d = tid; d < DEPTHS; d += THREADS) folded[d] = counts[d];
  cluster_sync<CLUSTER>();
  // The totals take the place of the copies, with a gap after every 16, a thread's depths: the
  // threads of a warp then read from different banks.
  const auto slot = [](int depth) { return depth + depth / 16; };
  for (int d = tid; d < DEPTHS; d += THREADS) {
    int tokens = 0;
#pragma unroll
    for (int rank = 0; rank < CLUSTER; ++rank) tokens += *of_rank<CLUSTER>(&folded[d], rank);
    all_counts[slot(d)] = tokens;
  }
  __syncthreads();
  const Cut cut = find_cut<THREADS>(rows.p[r], [&](int depth) { return all_counts[slot(depth)]; });

  const int tiles = kata::ceil_div(end - begin, TILE);
  sums.sum_up<THREADS, WIDTH>(row, vocab, first, tiles, top, cut);
  const TileSum of_block = sums.total<THREADS>(tiles);
  const Share share = share_of<CLUSTER>(of_block, cut, rows.uniform[r]);
#if __CUDA_ARCH__ >= 900
  if constexpr (CLUSTER > 1) cooperative_groups::this_cluster().barrier_arrive();
#endif
  if (share.is_chosen) {
    const int token = walk_tiles<THREADS>(row, vocab, first, tiles, sums, top, cut, share.before,
                                          share.ties_before, share.bound);
    if (tid == 0) rows.token[r] = token;
  }
  cluster_wait<CLUSTER>();
}

// As many blocks per row, up to 8, as run at once and have 8192 tokens each.
template <int CLUSTER, int WIDTH, bool GUESSES>
void launch_clusters_of_rows(const Rows& all, int rows) {
  const auto kernel = cluster_kernel<CLUSTER, WIDTH, GUESSES>;
  if constexpr (CLUSTER > 1) {
    const long long blocks = static_cast<long long>(rows) * CLUSTER;
    if (!has_clusters() || blocks > MOST_BLOCKS || all.vocab < CLUSTER * 8192) {
      return launch_clusters_of_rows<CLUSTER / 2, WIDTH, GUESSES>(all, rows);
    }
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, COUNT_BYTES);
    launch_clusters(CLUSTER, rows * CLUSTER, THREADS, COUNT_BYTES, kernel, all);
  } else {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, COUNT_BYTES);
    kernel<<<rows, THREADS, COUNT_BYTES>>>(all);
  }
}

template <bool GUESSES>
void launch(const Rows& all, int rows) {
  if (all.vocab < SHORT_ROW) {
    bisect_kernel<FEW_THREADS><<<rows, FEW_THREADS>>>(all);
  } else if (has_wide_rows(all)) {
    launch_clusters_of_rows<8, 4, GUESSES>(all, rows);
  } else {
    launch_clusters_of_rows<8, 1, GUESSES>(all, rows);
  }
}
