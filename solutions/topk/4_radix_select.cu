// Radix select: find the k-th largest key digit by digit, then collect what is larger.
//
// The rung to reach in 30 minutes. A histogram of the top 8 bits says which bin holds rank k. The
// next pass counts the next 8 bits of that bin's keys only. After four passes the key is known
// exactly. Larger keys are collected in any order and sorted; keys equal to the threshold all look
// alike, so the rest of the k places is filled with it (topk_output.h).
//
// Prediction: x is read five times, 61 us each at 2^26: 307 us. The first pass may take longer: the
// top 8 bits of random floats fall into few bins, and lanes that count in one bin take turns.
// Measured: 586.5 us at 67108864x100, 10 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/scratch.h"
#include "topk_output.h"

constexpr int THREADS = 512;
constexpr int BINS = 256;

struct Selection {
  unsigned counts[BINS];  // of the current digit
  unsigned threshold;     // its digits so far; at the end the k-th largest key
  unsigned rank;          // of the k-th largest among the keys that start with these digits, from 1
  unsigned found;         // keys collected
};

__global__ void start(Selection* selection, unsigned k) {
  selection->counts[threadIdx.x] = 0;
  if (threadIdx.x != 0) return;
  selection->threshold = 0;
  selection->rank = k;
  selection->found = 0;
}

// Counts the digit at `shift` of all keys that agree with the threshold in the higher digits.
__global__ void count_digit(const float* x, unsigned n, Selection* selection, int shift) {
  __shared__ unsigned counts[BINS];
  const int tid = threadIdx.x;
  if (tid < BINS) counts[tid] = 0;
  __syncthreads();
  const unsigned threshold = selection->threshold;
  const unsigned stride = gridDim.x * THREADS;
  for (unsigned i = blockIdx.x * THREADS + tid; i < n; i += stride) {
    const unsigned key = key_of(x[i]);
    const bool agrees = shift == 24 || (key ^ threshold) >> (shift + 8) == 0;
    if (agrees) atomicAdd(&counts[key >> shift & (BINS - 1)], 1u);
  }
  __syncthreads();
  if (tid < BINS && counts[tid] != 0) atomicAdd(&selection->counts[tid], counts[tid]);
}

// One block, a thread per bin: the bin in which the count from the largest digit down reaches the
// rank gives the next digit.
__global__ void choose_digit(Selection* selection, int shift) {
  __shared__ unsigned counts[BINS];
  const int digit = threadIdx.x;
  const unsigned rank = selection->rank;
  counts[digit] = selection->counts[digit];
  selection->counts[digit] = 0;  // for the next pass
  __syncthreads();
  unsigned larger = 0;
  for (int d = digit + 1; d < BINS; ++d) larger += counts[d];
  if (larger < rank && rank <= larger + counts[digit]) {
    selection->threshold |= static_cast<unsigned>(digit) << shift;
    selection->rank = rank - larger;
  }
}

__global__ void collect(const float* x, unsigned n, Selection* selection, unsigned* keys) {
  const unsigned threshold = selection->threshold;
  const unsigned stride = gridDim.x * THREADS;
  for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < n; i += stride) {
    const unsigned key = key_of(x[i]);
    if (key > threshold) keys[atomicAdd(&selection->found, 1u)] = key;
  }
}

extern "C" void topk(const float* x, float* y, int n, int k) {
  static Scratch<Selection> selection_scratch;
  static Scratch<unsigned> key_scratch;
  Selection* selection = selection_scratch.get(1);
  unsigned* keys = key_scratch.get(power_of_two_from(k));
  const int needed = kata::ceil_div(n, 4 * THREADS);
  const int blocks = needed < 528 ? needed : 528;  // four per SM on 132 SMs

  start<<<1, BINS>>>(selection, k);
  for (int shift = 24; shift >= 0; shift -= 8) {
    count_digit<<<blocks, THREADS>>>(x, n, selection, shift);
    choose_digit<<<1, BINS>>>(selection, shift);
  }
  collect<<<blocks, THREADS>>>(x, n, selection, keys);
  sort_and_store(keys, &selection->found, &selection->threshold, y, k);
}
