// One warp settles a word while the others still OR the rows of the word before.
//
// The next word needs one more word of each of the 64 rows, not all of them. Their addresses are
// known in advance, so the chain's warp loads the diagonal and the word right of it a step early.
// What the other warps do has a whole step of time.
//
// Prediction: a step takes the longer of settling, 0.9 us with the exchange between lanes, and of
// the loads of rows, 1.1 us. 256 steps: 280 us. With the matrix of rung 4, 82 us: 360 us. Missed: a
// step takes 4 us, because the loads of the other warps come in eight batches, one after the other.
// Measured: 1116.6 us at 16384, 1.8 % of the limit (H200, 2026-11-28)
#include "two_rows.h"
#include "vote_matrix.h"

constexpr int THREADS = 1024;
// The OR of those rows that are in `kept`, for all lanes.
__device__ Word or_of_kept(TwoRows rows, Word kept) {
  Word sum = or_of_own(rows, kept);
  for (int offset = 16; offset > 0; offset /= 2) sum |= __shfl_xor_sync(ALL_LANES, sum, offset);
  return sum;
}

__global__ void __launch_bounds__(THREADS)
    sweep_kernel(const Word* matrix, int* keep, int n, int words) {
  __shared__ Word removed[MAX_WORDS];  // by words before the last one
  __shared__ Word kept_boxes[2];       // of the last two words
  const int tid = threadIdx.x, lane = tid % 32;
  for (int w = tid; w < words; w += THREADS) removed[w] = 0;
  if (tid < 2) kept_boxes[tid] = 0;
  __syncthreads();

  TwoRows diagonal = {}, before = {};  // of word w, and of the rows of word w - 1
  if (tid < 32) diagonal = load_rows(matrix, 0, 0, n, words);
  for (int w = 0; w < words; ++w) {
    const int first = w * BITS;
    const Word kept_before = kept_boxes[(w + 1) % 2];
    if (tid < 32) {
      const TwoRows next_diagonal = load_rows(matrix, first + BITS, w + 1, n, words);
      const TwoRows next_before = load_rows(matrix, first, w + 1, n, words);
      const Word gone = removed[w] | or_of_kept(before, kept_before);
      const Word kept = settle(~gone & low_bits(min(BITS, n - first)), [&](int b) {
        return __shfl_sync(ALL_LANES, b < 32 ? diagonal.low : diagonal.high, b % 32);
      });
      if (lane == 0) kept_boxes[w % 2] = kept;
      if (first + lane < n) keep[first + lane] = kept >> lane & 1;
      if (first + lane + 32 < n) keep[first + lane + 32] = kept >> (lane + 32) & 1;
      diagonal = next_diagonal;
      before = next_before;
    } else {
      const Word* rows = matrix + static_cast<size_t>(max(first - BITS, 0)) * words;  // of word w - 1
      for (int t = w + 1 + tid - 32; t < words; t += THREADS - 32) {
        Word sum = removed[t];
#pragma unroll 8
        for (int b = 0; b < BITS; ++b) {
          if (kept_before >> b & 1) sum |= rows[static_cast<size_t>(b) * words + t];
        }
        removed[t] = sum;
      }
    }
    __syncthreads();
  }
}

extern "C" void nms(const float* boxes, int* keep, int n, float threshold) {
  const int words = kata::ceil_div(n, BITS);
  const Word* matrix = vote_matrix(reinterpret_cast<const float4*>(boxes), n, words, threshold);
  sweep_kernel<<<1, THREADS>>>(matrix, keep, n, words);
}
