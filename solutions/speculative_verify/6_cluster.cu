// A cluster of blocks per sequence: one launch, and one test of the drafts for a long row.
//
// Rung 5 tests the drafts in each of 4096 blocks, which read nothing else meanwhile, and waits for
// a second kernel. Here all blocks run at once: as many per sequence, up to 8, as the GPU has room
// for. A warp adds up tiles without barriers. The blocks read each other's sums through shared
// memory, and the one in which the bound is crossed walks over its tiles, then over one tile.
//
// Prediction: rung 5 reads at half speed in four waves, 27 us, and its second kernel takes 10. Here
// the votes cost 2 us once, the sums of two blocks and the walk 3: 24 us at 64 x 8 x 131072, of
// which 18 are the rows. A trial took 19. Two blocks per SM took 22.
// Measured: 20.7 us at 64x8x131072, 88 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include "../common/aligned.h"
#include "../common/cluster.h"
#include "walk.h"
#include "warp_tiles.h"

constexpr int THREADS = 512;
constexpr int MOST_BLOCKS = 132;                // one on each SM
constexpr int MOST_TILES = 262144 / WARP_TILE;  // of a block
static_assert(MOST_TILES <= THREADS, "a thread per tile");

// A block's share of the sum of all blocks of the cluster.
struct Share {
  float before, total;
  bool is_chosen;  // the bound is crossed in this block; if in none, it is the last with weight
};

// `sum` is the block's. All threads call it; cluster_wait must follow.
template <int CLUSTER>
__device__ Share share_of(float sum, float number) {
  if constexpr (CLUSTER == 1) return {0.0f, sum, true};
#if __CUDA_ARCH__ >= 900
  __shared__ float published;
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) published = sum;
  cluster.sync();
  const int lane = threadIdx.x % 32, rank = cluster.block_rank();
  const float its = lane < CLUSTER ? *cluster.map_shared_rank(&published, lane) : 0.0f;
  cluster.barrier_arrive();
  const float end = warp_inclusive_scan(its);
  const float total = __shfl_sync(0xffffffffu, end, 31);
  const unsigned above = __ballot_sync(0xffffffffu, its > 0.0f && end > number * total);
  const unsigned any = __ballot_sync(0xffffffffu, its > 0.0f);
  const int chosen = above != 0 ? __ffs(above) - 1 : 31 - __clz(any | 1);
  const float before = __shfl_sync(0xffffffffu, end, max(rank - 1, 0));
  return {rank > 0 ? before : 0.0f, total, rank == chosen};
#endif
}

template <int CLUSTER, int WIDTH>
__global__ void __launch_bounds__(THREADS, 2)
    verify_kernel(Batch batch, int* accepted, int* token) {
  __shared__ float sums[MOST_TILES], befores[MOST_TILES];
  __shared__ Walk over_tiles, walk;
  const int s = blockIdx.x / CLUSTER, tid = threadIdx.x;
  const Sequence sequence(batch, s);
  const int n = sequence.vote_accepted();
  const float number = sequence.u[batch.drafts];
  const Weights weights(sequence, n);
  const int per_block = kata::ceil_div(kata::ceil_div(batch.vocab, WARP_TILE), CLUSTER);
  const int first = cluster_rank<CLUSTER>() * per_block;  // tile
  if (tid == 0) over_tiles = walk = new_walk();
  for (int t = tid / 32; t < per_block; t += THREADS / 32) {
    const float sum = warp_tile_sum<WIDTH>(weights, first + t, batch.vocab);
    if (tid % 32 == 0) sums[t] = sum;
  }
  __syncthreads();

  const float sum = tid < per_block ? sums[tid] : 0.0f;
  float of_block;
  float before = block_exclusive_scan<THREADS>(sum, of_block);
  const Share share = share_of<CLUSTER>(of_block, number);
  if (share.is_chosen) {
    const float bound = number * share.total;
    before += share.before;
    if (tid < per_block) befores[tid] = before;
    if (sum > 0.0f) {
      atomicMax(&over_tiles.last, tid);
      if (before + sum > bound) atomicMin(&over_tiles.first, tid);
    }
    __syncthreads();
    const int chosen = token_of(over_tiles), begin = (first + chosen) * WARP_TILE;
    walk_tokens<THREADS>(weights, begin, min(begin + WARP_TILE, batch.vocab), befores[chosen],
                         bound, walk);
    if (tid == 0) {
      accepted[s] = n;
      token[s] = token_of(walk);
    }
  }
  cluster_wait<CLUSTER>();
}

template <int CLUSTER, int WIDTH>
void launch(const Batch& all, int* accepted, int* token, int batch) {
  if constexpr (CLUSTER > 1) {
    const long long blocks = static_cast<long long>(batch) * CLUSTER;
    if (!has_clusters() || blocks > MOST_BLOCKS || all.vocab < CLUSTER * THREADS * 4) {
      return launch<CLUSTER / 2, WIDTH>(all, accepted, token, batch);
    }
    launch_clusters(CLUSTER, batch * CLUSTER, THREADS, 0, verify_kernel<CLUSTER, WIDTH>, all,
                    accepted, token);
  } else {
    verify_kernel<1, WIDTH><<<batch, THREADS>>>(all, accepted, token);
  }
}

extern "C" void speculative_verify(const int* draft_tokens, const float* draft_probs,
                                   const float* target_probs, const float* uniform, int* accepted,
                                   int* token, int batch, int drafts, int vocab) {
  const Batch all = {draft_tokens, draft_probs, target_probs, uniform, drafts, vocab};
  const bool wide = vocab % 4 == 0 && is_aligned16(draft_probs) && is_aligned16(target_probs);
  const auto launch_widest = wide ? launch<8, 4> : launch<8, 1>;
  launch_widest(all, accepted, token, batch);
}
