#pragma once
// The parts of rung 9, whose outputs are quads of columns with neighbours exchanged, and their
// merging.

#include <kata/kata.h>
#include <math_constants.h>

#include "../common/load4.h"
#include "../common/scratch.h"

// In units of exp2(max). Rows of o have d columns, rounded up to quads.
struct QuadParts {
  float *o, *max, *sum;  // [count][M][4 quads], [count][M] twice
  int count, quads;
};

inline QuadParts make_quad_parts(int count, int M, int d) {
  static Scratch<float> scratch;
  const int quads = kata::ceil_div(d, 4);
  const size_t rows = static_cast<size_t>(count) * M;
  float* memory = scratch.get(rows * (4 * quads + 2));
  return {memory, memory + rows * 4 * quads, memory + rows * (4 * quads + 1), count, quads};
}

// A thread per quad of O.
__global__ void merge_quads_kernel(QuadParts parts, float* O, int M, int d) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const size_t row = i / parts.quads, rows = M;
  const int col = i % parts.quads * 4;
  if (row >= rows) return;
  float max = -CUDART_INF_F;
#pragma unroll 8
  for (int p = 0; p < parts.count; ++p) max = fmaxf(max, parts.max[p * rows + row]);
  float sum = 0.0f, o[4] = {};
#pragma unroll 8
  for (int p = 0; p < parts.count; ++p) {
    const float weight = exp2f(parts.max[p * rows + row] - max);
    const Vec4 part = load4(parts.o + (p * rows + row) * 4 * parts.quads + col);
    sum += weight * parts.sum[p * rows + row];
#pragma unroll
    for (int c = 0; c < 4; ++c) o[c] += weight * part.at[c ^ 1];
  }
  const float factor = 1.0f / sum;
  float* const to = O + row * d + col;
  if (d % 4 == 0) {
    store4(to, {o[0] * factor, o[1] * factor, o[2] * factor, o[3] * factor});
    return;
  }
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    if (col + c < d) to[c] = o[c] * factor;
  }
}

inline void merge_quads(const QuadParts& parts, float* O, int M, int d) {
  const size_t quads = static_cast<size_t>(M) * parts.quads;
  merge_quads_kernel<<<static_cast<unsigned>((quads - 1) / 128 + 1), 128>>>(parts, O, M, d);
}
