// Test all pairs first, with the whole GPU: only an OR of bits per box stays serial.
//
// The rung to reach in 30 minutes. Only the decisions depend on each other, the tests do not. A
// tile of 64 x 64 pairs gives 64 words of 64 bits (bit_matrix.h). One block then takes the boxes in
// order: if box i is not removed yet, its row is ORed into the set of removed boxes. The matrix has
// n^2 / 8 bytes: 33.5 MB at 16384 boxes, 537 MB at 65536.
//
// Prediction: 134 M tests of about 28 instructions (a division has 8), 30 T per second: 130 us.
// Each of 6000 kept boxes waits for its row from L2 and for two barriers, 0.8 us, each of 10400
// others 0.06 us: 5.5 ms. The chain is the time. Missed: the matrix takes 330 us, a kept box less,
// 0.55 us.
// Measured: 3762.0 us at 16384, 0.5 % of the limit (H200, 2026-11-28)
#include "bit_matrix.h"

constexpr int THREADS = 256;

__global__ void sweep_kernel(const Word* matrix, int* keep, int n, int words) {
  __shared__ Word removed[MAX_WORDS];
  const int tid = threadIdx.x;
  for (int w = tid; w < words; w += THREADS) removed[w] = 0;
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    const int own = i / BITS;
    const bool is_kept = (removed[own] >> (i % BITS) & 1) == 0;
    if (tid == 0) keep[i] = is_kept;
    if (!is_kept) continue;  // all threads read the same bit
    __syncthreads();         // and all have read it before the word changes
    const Word* row = matrix + static_cast<size_t>(i) * words;
    for (int w = own + tid; w < words; w += THREADS) removed[w] |= row[w];
    __syncthreads();
  }
}

extern "C" void nms(const float* boxes, int* keep, int n, float threshold) {
  const int words = kata::ceil_div(n, BITS);
  const Word* matrix = bit_matrix(reinterpret_cast<const float4*>(boxes), n, words, threshold);
  sweep_kernel<<<1, THREADS>>>(matrix, keep, n, words);
}
