#pragma once
// Rung 3's sweep: 64 boxes a step, by one block with a thread per word.

#include "word_steps.h"

__global__ void __launch_bounds__(MAX_WORDS)
    word_sweep_kernel(const Word* matrix, int* keep, int n, int words) {
  __shared__ Word diagonal[BITS];
  __shared__ Word kept_boxes;
  const int tid = threadIdx.x;
  Word removed = 0;  // boxes 64 tid to 64 tid + 63
  for (int w = 0; w < words; ++w) {
    const int first = w * BITS, count = min(BITS, n - first);
    const Word* rows = matrix + static_cast<size_t>(first) * words;
    if (tid < count) diagonal[tid] = rows[static_cast<size_t>(tid) * words + w];
    __syncthreads();
    if (tid == w) {
      kept_boxes = settle(~removed & low_bits(count), [&](int b) { return diagonal[b]; });
    }
    __syncthreads();
    const Word kept = kept_boxes;
    if (tid < count) keep[first + tid] = kept >> tid & 1;
    if (tid <= w || tid >= words) continue;
#pragma unroll 8
    for (int b = 0; b < BITS; ++b) {
      if (kept >> b & 1) removed |= rows[static_cast<size_t>(b) * words + tid];
    }
  }
}

inline void word_sweep(const Word* matrix, int* keep, int n, int words) {
  const int threads = max(BITS, kata::ceil_div(words, 32) * 32);
  word_sweep_kernel<<<1, threads>>>(matrix, keep, n, words);
}
