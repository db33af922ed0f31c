#pragma once
// Rows of a chunk in shared memory for CUDA cores: rung 3.

#include "chunks.h"

constexpr int THREADS = 256;

// A pitch of one more bank: 16 threads read a column of rows without conflicts.
template <int DIM>
using Rows = __half2[CHUNK][DIM / 2 + 1];

// The chunk's rows of x; those past the end are zeros.
template <int DIM>
__device__ void load_rows(Rows<DIM>& rows, const __half* x, const Arguments& at) {
  const __half2* from = reinterpret_cast<const __half2*>(x + at.row() * DIM);
  for (int i = threadIdx.x; i < CHUNK * DIM / 2; i += THREADS) {
    const int token = i / (DIM / 2);
    rows[token][i % (DIM / 2)] = token < at.tokens() ? from[i] : __floats2half2_rn(0.0f, 0.0f);
  }
}

__device__ inline float element(const __half2* row, int col) {
  const __half2 pair = row[col / 2];
  return col % 2 == 0 ? __low2float(pair) : __high2float(pair);
}

__device__ inline void add(float2& sum, float factor, float2 x) {
  sum.x += factor * x.x;
  sum.y += factor * x.y;
}
