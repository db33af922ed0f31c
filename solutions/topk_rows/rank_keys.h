#pragma once
// The k largest of the candidates by counting: the rank of a key is the number of larger ones.

#include "candidates.h"

constexpr int MOST_RANKED = 512;

struct RankMemory {
  Key keys[MOST_RANKED];
  int count;  // of the candidates that are above the bound, even if there are more than places
};

// Calls store(rank, key) for the k largest candidates, in any order. All threads call it.
template <class Store>
__device__ void rank_candidates(Candidates& candidates, RankMemory& memory, int k,
                                const Store& store) {
  if (threadIdx.x == 0) memory.count = 0;
  __syncthreads();
  candidates.for_each([&](Key key) {
    const int place = atomicAdd(&memory.count, 1);
    if (place < MOST_RANKED) memory.keys[place] = key;
  });
  __syncthreads();
  const int count = memory.count;
  if (count > MOST_RANKED) {  // equal values, or no bound: sort after all
    const Key* sorted = candidates.sorted();
    for (int r = threadIdx.x; r < k; r += blockDim.x) store(r, sorted[r]);
    return;
  }
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    const Key key = memory.keys[i];
    int rank = 0;
#pragma unroll 4
    for (int j = 0; j < count; ++j) rank += memory.keys[j] > key;
    if (rank < k) store(rank, key);
  }
}
