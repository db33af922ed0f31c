#pragma once
// Radix select: the k-th largest key in three passes of 11, 11 and 10 bits, one kernel per pass.

#include <kata/kata.h>

#include "../common/block_scan.h"
#include "../common/float_key.h"

constexpr int SELECT_THREADS = 256;
constexpr int SELECT_ITEMS = 16;
constexpr int SELECT_TILE = SELECT_THREADS * SELECT_ITEMS;
constexpr int DIGIT_BITS = 11;
constexpr int BINS = 1 << DIGIT_BITS;

// All zero at the start of a call.
struct Selection {
  unsigned counts[3][BINS];  // of each pass's digit, among keys that start like the threshold
  unsigned threshold;        // the digits known so far; after three passes the k-th largest key
  unsigned rank;             // which of the keys that start like that it is, from the largest, 1...
  unsigned blocks_done;
  unsigned found;            // keys in the output so far
  unsigned candidate_count;  // how many keys were candidates, stored or not
};

// The keys to select from: a list of candidates, or all of x if more candidates than `capacity`
// turned up. Only the device knows which.
struct KeySource {
  const float* x;
  unsigned n;
  const unsigned* candidates;
  const unsigned* candidate_count;
  unsigned capacity;  // 0: x

  __device__ bool is_list() const { return capacity > 0 && *candidate_count <= capacity; }
  __device__ unsigned size() const { return is_list() ? *candidate_count : n; }

  // This thread's keys of the tile that starts at `first`: NO_KEY where there is none.
  __device__ void load(unsigned first, unsigned (&keys)[SELECT_ITEMS]) const {
    if (is_list()) {
#pragma unroll
      for (int j = 0; j < SELECT_ITEMS; ++j) {
        const unsigned i = first + j * SELECT_THREADS + threadIdx.x;
        keys[j] = i < *candidate_count ? candidates[i] : NO_KEY;
      }
      return;
    }
#pragma unroll
    for (int j = 0; j < SELECT_ITEMS; j += 4) {
      const unsigned i = first + j * SELECT_THREADS + 4 * threadIdx.x;
      if (i + 4 <= n) {
        const float4 v = *reinterpret_cast<const float4*>(x + i);
        keys[j] = key_of(v.x);
        keys[j + 1] = key_of(v.y);
        keys[j + 2] = key_of(v.z);
        keys[j + 3] = key_of(v.w);
      } else {
        for (int c = 0; c < 4; ++c) keys[j + c] = i + c < n ? key_of(x[i + c]) : NO_KEY;
      }
    }
  }
};

// Appends those of the block's keys that `wanted` accepts to `list`, with one atomic per block.
// *count grows beyond `capacity`, the list does not. Every thread of the block calls it.
template <class Wanted>
__device__ void append(const unsigned (&keys)[SELECT_ITEMS], Wanted wanted, unsigned* list,
                       unsigned* count, unsigned capacity) {
  __shared__ unsigned start;
  unsigned mine = 0;
#pragma unroll
  for (int j = 0; j < SELECT_ITEMS; ++j) mine += wanted(keys[j]);
  unsigned total;
  const unsigned before = block_exclusive_scan<SELECT_THREADS>(mine, total);
  if (threadIdx.x == 0) start = total > 0 ? atomicAdd(count, total) : 0;
  __syncthreads();
  unsigned i = start + before;
  if (mine > 0) {
#pragma unroll
    for (int j = 0; j < SELECT_ITEMS; ++j) {
      if (wanted(keys[j])) {
        if (i < capacity) list[i] = keys[j];
        ++i;
      }
    }
  }
  __syncthreads();  // `start` may be written again
}

// Adds how often each digit at `shift` occurs, among the keys that agree with `known` from bit
// `known_from` on (32: all keys), to counts[BINS] in global memory.
__device__ inline void count_digit(const KeySource& source, unsigned known, int known_from,
                                   int shift, unsigned* counts) {
  __shared__ unsigned block_counts[BINS];
  for (int b = threadIdx.x; b < BINS; b += SELECT_THREADS) block_counts[b] = 0;
  __syncthreads();
  const unsigned size = source.size();
  for (unsigned first = blockIdx.x * SELECT_TILE; first < size; first += gridDim.x * SELECT_TILE) {
    unsigned keys[SELECT_ITEMS];
    source.load(first, keys);
    for (const unsigned key : keys) {
      const bool agrees = known_from == 32 || (key ^ known) >> known_from == 0;
      if (key != NO_KEY && agrees) atomicAdd(&block_counts[key >> shift & (BINS - 1)], 1u);
    }
  }
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += SELECT_THREADS) {
    if (block_counts[b] != 0) atomicAdd(&counts[b], block_counts[b]);
  }
}

// The digit of the key with this rank, and its rank among the keys with that digit: the bin in
// which the count, from the largest digit down, reaches the rank.
struct Choice {
  unsigned digit;
  unsigned rank;
};

// Every thread of the block calls it and gets the same.
__device__ inline Choice choose_digit(const unsigned* counts, unsigned rank) {
  __shared__ Choice choice;
  constexpr int PER_THREAD = BINS / SELECT_THREADS;
  static_assert(PER_THREAD == 8, "two uint4 hold the bins of a thread");
  const unsigned lowest = BINS - (threadIdx.x + 1) * PER_THREAD;  // thread 0 has the largest
  const uint4* counts4 = reinterpret_cast<const uint4*>(counts + lowest);
  const uint4 low = __ldcg(&counts4[0]);
  const uint4 high = __ldcg(&counts4[1]);
  const unsigned bin[PER_THREAD] = {high.w, high.z, high.y, high.x, low.w, low.z, low.y, low.x};
  unsigned sum = 0;
  for (const unsigned count : bin) sum += count;
  unsigned total;
  unsigned before = block_exclusive_scan<SELECT_THREADS>(sum, total);
  for (int b = 0; b < PER_THREAD; ++b) {
    if (before < rank && rank <= before + bin[b]) {
      choice = {lowest + PER_THREAD - 1 - b, rank - before};
    }
    before += bin[b];
  }
  __syncthreads();
  const Choice chosen = choice;
  __syncthreads();  // `choice` may be written again
  return chosen;
}

// The block's tickets are counted in *done, which starts and ends at 0. True in all threads of the
// block that comes last; it sees all that the others wrote before.
__device__ inline bool is_last_block(unsigned* done) {
  __shared__ bool is_last;
  __threadfence();  // what this thread wrote is visible before the ticket is
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  __threadfence();
  return is_last;
}

// One pass over the digit at `shift`, which ends at bit `known_from`. The last block to finish
// chooses the digit. `pass` counts from 0.
__global__ void select_digit(KeySource source, Selection* selection, unsigned k, int pass,
                             int shift, int known_from) {
  unsigned* counts = selection->counts[pass];
  count_digit(source, selection->threshold, known_from, shift, counts);
  if (!is_last_block(&selection->blocks_done)) return;
  const Choice choice = choose_digit(counts, pass == 0 ? k : selection->rank);
  if (threadIdx.x != 0) return;
  selection->threshold |= choice.digit << shift;
  selection->rank = choice.rank;
}

// Appends all keys above the threshold to the output.
__device__ inline void collect_above(const KeySource& source, unsigned threshold, unsigned* keys,
                                     unsigned* found, unsigned k) {
  const unsigned size = source.size();
  for (unsigned first = blockIdx.x * SELECT_TILE; first < size; first += gridDim.x * SELECT_TILE) {
    unsigned tile[SELECT_ITEMS];
    source.load(first, tile);
    append(
        tile, [=](unsigned key) { return key > threshold; }, keys, found, k);
  }
}

__global__ void collect(KeySource source, Selection* selection, unsigned* keys, unsigned k) {
  collect_above(source, selection->threshold, keys, &selection->found, k);
}

// Appends all keys from the threshold on to a list of candidates.
__global__ void keep_candidates(KeySource source, const unsigned* threshold, unsigned* candidates,
                                unsigned* count, unsigned capacity) {
  const unsigned smallest = *threshold;
  const unsigned size = source.size();
  for (unsigned first = blockIdx.x * SELECT_TILE; first < size; first += gridDim.x * SELECT_TILE) {
    unsigned keys[SELECT_ITEMS];
    source.load(first, keys);
    append(
        keys, [=](unsigned key) { return key >= smallest; }, candidates, count, capacity);
  }
}

// As many blocks as the GPU runs at once, or fewer if n needs fewer.
inline unsigned select_blocks(unsigned n) {
  int device = 0;
  int processors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  const unsigned needed = kata::ceil_div(n, SELECT_TILE);
  const unsigned resident = 6 * processors;
  return needed < resident ? needed : resident;
}
