#pragma once
// Rung 6's sweep: a warp settles one word after the other, and the others OR the rows of the boxes
// that stay, each thread a share of them.

#include "two_rows.h"
#include "vote_matrix.h"

constexpr int THREADS = 1024, WORKERS = THREADS - 32;
constexpr int IN_FLIGHT = 8;  // loads of a thread

// Boxes of a word that stay, in any order.
struct KeptList {
  int count;
  int boxes[BITS];  // 0 to 63

  // The warp of the chain calls it.
  __device__ void fill(Word kept) {
    const int lane = threadIdx.x % 32;
    const Word below = (1ull << lane) - 1;
    const int low_count = __popc(static_cast<unsigned>(kept));
    if (kept >> lane & 1) boxes[__popcll(kept & below)] = lane;
    if (kept >> (lane + 32) & 1) boxes[low_count + __popcll(kept >> 32 & below)] = lane + 32;
    if (lane == 0) count = __popcll(kept);
  }
};

// A worker has a word of the matrix and every `groups`-th box that stays. Chain::settle() decides
// the 64 boxes of a word, Chain::or_of_lanes() is the OR over a warp, in all lanes.
template <class Chain>
__global__ void __launch_bounds__(THREADS)
    kept_sweep_kernel(const Word* matrix, int* keep, int n, int words, int groups) {
  __shared__ Word removed[MAX_WORDS];  // [group][word], by words before the last one
  __shared__ KeptList lists[2];        // of the last two words
  const int tid = threadIdx.x, lane = tid % 32;
  for (int i = tid; i < groups * words; i += THREADS) removed[i] = 0;
  if (tid < 2) lists[tid].count = 0;
  __syncthreads();

  // With fewer words than workers a worker has one word, otherwise group 0 has all of them.
  const int worker = tid - 32, group = worker / words;
  Word kept_before = 0;
  TwoRows diagonal = {}, before = {};  // of word w, and of the rows of word w - 1
  if (tid < 32) diagonal = load_rows(matrix, 0, 0, n, words);
  for (int w = 0; w < words; ++w) {
    const int first = w * BITS;
    if (tid < 32) {
      const TwoRows next_diagonal = load_rows(matrix, first + BITS, w + 1, n, words);
      const TwoRows next_before = load_rows(matrix, first, w + 1, n, words);
      Word gone = or_of_own(before, kept_before);
      if (lane < groups) gone |= removed[lane * words + w];
      const Word candidates = ~Chain::or_of_lanes(gone) & low_bits(min(BITS, n - first));
      const Word kept = Chain::settle(candidates, diagonal);
      lists[w % 2].fill(kept);
      if (first + lane < n) keep[first + lane] = kept >> lane & 1;
      if (first + lane + 32 < n) keep[first + lane + 32] = kept >> (lane + 32) & 1;
      kept_before = kept;
      diagonal = next_diagonal;
      before = next_before;
    } else if (group < groups) {
      const KeptList& list = lists[(w + 1) % 2];
      const int count = list.count;
      const Word* rows = matrix + static_cast<size_t>(max(first - BITS, 0)) * words;  // before w
      for (int t = worker % words; t < words; t += WORKERS) {
        if (t <= w) continue;
        Word sum = removed[group * words + t];
        for (int e = group; e < count; e += IN_FLIGHT * groups) {
#pragma unroll
          for (int u = 0; u < IN_FLIGHT; ++u) {
            const int at = min(e + u * groups, count - 1);  // the last one again does no harm
            sum |= rows[list.boxes[at] * words + t];
          }
        }
        removed[group * words + t] = sum;
      }
    }
    __syncthreads();
  }
}

template <class Chain>
void kept_sweep(const Word* matrix, int* keep, int n, int words) {
  const int groups = max(1, min(WORKERS / words, 31));
  kept_sweep_kernel<Chain><<<1, THREADS>>>(matrix, keep, n, words, groups);
}
