// Radix select: find the k-th largest value digit by digit, then collect what is above it.
//
// A histogram of the top 11 bits in shared memory tells which bin holds rank k. Two more passes
// count the next bits of that bin's elements alone. A last pass collects larger values in any
// order, and ties as long as there is room, in the order of their columns. k keys are sorted.
//
// Prediction: four reads of a row, for every k. 528 rows in flight do not fit L2, so each read is
// 119 us at 1024 x 131072. In the first pass many lanes count in the same few bins and take turns:
// twice as long. 600 us.
// Measured: 641.3 us at 1024x131072x64, 19 % of the limit (H200, 2026-11-28)
#include <kata/kata.h>

#include "../common/block_scan.h"
#include "sort_keys.h"

constexpr int THREADS = 512;
constexpr int BINS = 1 << 11;
constexpr int BINS_PER_THREAD = BINS / THREADS;
constexpr int LARGEST_K = 256;

struct Choice {
  unsigned digit;
  unsigned rank;   // of the k-th largest among the values with this digit, from 1
  unsigned count;  // of those values
};

// The bin in which the count from the largest digit down reaches `rank`, in all threads.
__device__ Choice choose_digit(const unsigned* counts, unsigned rank) {
  __shared__ Choice choice;
  const unsigned lowest = BINS - (threadIdx.x + 1) * BINS_PER_THREAD;  // thread 0: the largest bins
  unsigned sum = 0;
  for (int b = 0; b < BINS_PER_THREAD; ++b) sum += counts[lowest + b];
  unsigned total;
  unsigned above = block_exclusive_scan<THREADS>(sum, total);
  for (int b = BINS_PER_THREAD - 1; b >= 0; --b) {
    const unsigned count = counts[lowest + b];
    if (above < rank && rank <= above + count) choice = {lowest + b, rank - above, count};
    above += count;
  }
  __syncthreads();
  return choice;  // written again only after the barriers of the next histogram
}

__global__ void __launch_bounds__(THREADS)
    topk_kernel(const float* x, float* values, int* indices, int cols, int k) {
  __shared__ unsigned counts[BINS];
  __shared__ Key winners[LARGEST_K];
  __shared__ int found;
  const int tid = threadIdx.x;
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  const size_t out = static_cast<size_t>(blockIdx.x) * k;

  unsigned threshold = 0;
  Choice choice = {0, static_cast<unsigned>(k), 0};
  for (int pass = 0; pass < 3; ++pass) {
    const int shift = pass == 0 ? 21 : pass == 1 ? 10 : 0;
    const unsigned known = pass == 0 ? 0 : pass == 1 ? ~0u << 21 : ~0u << 10;
    for (int b = tid; b < BINS; b += THREADS) counts[b] = 0;
    __syncthreads();
    for (int col = tid; col < cols; col += THREADS) {
      const unsigned key = key_of(row[col] + 0.0f);
      if (((key ^ threshold) & known) == 0) atomicAdd(&counts[key >> shift & (BINS - 1)], 1u);
    }
    __syncthreads();
    choice = choose_digit(counts, choice.rank);
    threshold |= choice.digit << shift;
  }

  const bool takes_all_ties = choice.rank == choice.count;
  unsigned ties = 0;  // before this tile
  if (tid == 0) found = 0;
  const int size = power_of_two_from(k);
  for (int i = k + tid; i < size; i += THREADS) winners[i] = NONE;
  __syncthreads();
  for (int first = 0; first < cols; first += THREADS) {
    const int col = first + tid;
    const unsigned key = col < cols ? key_of(row[col] + 0.0f) : NO_KEY;
    bool wins = key > threshold || (key == threshold && takes_all_ties);
    if (!takes_all_ties) {  // the same for the whole block
      const unsigned is_tie = key == threshold;
      unsigned total;
      const unsigned before = ties + block_exclusive_scan<THREADS>(is_tie, total);
      wins = wins || (is_tie && before < choice.rank);
      ties += total;
    }
    if (wins) winners[atomicAdd(&found, 1)] = key_at(row[col], col);
  }
  __syncthreads();
  sort_descending(winners, size);
  for (int r = tid; r < k; r += THREADS) store_key(winners[r], &values[out + r], &indices[out + r]);
}

extern "C" void topk_rows(const float* x, float* values, int* indices, int rows, int cols, int k) {
  topk_kernel<<<rows, THREADS>>>(x, values, indices, cols, k);
}
