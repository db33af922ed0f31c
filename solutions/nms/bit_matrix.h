#pragma once
// All tests of two boxes as a matrix of bits: bit b of word [i][w] says whether box i overlaps the
// later box 64 w + b by more than the threshold. Words left of the diagonal are never set or read.

#include <kata/kata.h>

#include "../common/scratch.h"
#include "iou.h"

using Word = unsigned long long;

constexpr int BITS = 64;
constexpr int MAX_WORDS = 1024;  // n <= 65536

// A block of 64 threads per tile of 64 x 64 pairs: a thread has a row, the tile's columns are in
// shared memory.
__global__ void matrix_kernel(const float4* boxes, Word* matrix, int n, int words,
                              float threshold) {
  __shared__ float4 cols[BITS];
  const int tid = threadIdx.x;
  const int row0 = blockIdx.y * BITS, col0 = blockIdx.x * BITS;
  if (col0 < row0) return;  // a box removes later ones only
  const int count = min(BITS, n - col0);
  if (tid < count) cols[tid] = boxes[col0 + tid];
  __syncthreads();

  const int row = row0 + tid;
  if (row >= n) return;
  const float4 box = boxes[row];
  Word word = 0;
  for (int b = row0 == col0 ? tid + 1 : 0; b < count; ++b) {
    if (iou(box, cols[b]) > threshold) word |= 1ull << b;
  }
  matrix[static_cast<size_t>(row) * words + blockIdx.x] = word;
}

inline const Word* bit_matrix(const float4* boxes, int n, int words, float threshold) {
  static Scratch<Word> scratch;
  Word* matrix = scratch.get(static_cast<size_t>(n) * words);
  matrix_kernel<<<dim3(words, words), BITS>>>(boxes, matrix, n, words, threshold);
  return matrix;
}
