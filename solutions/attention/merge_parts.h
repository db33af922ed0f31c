#pragma once
// The results of rungs 7 and 8, whose blocks have some of the keys each, and their merging.

#include <kata/kata.h>
#include <math_constants.h>

#include "../common/scratch.h"

// In units of exp(max).
struct Parts {
  float *o, *max, *sum;  // [count][M][d], [count][M] twice
  int count;
};

inline Parts make_parts(int count, int M, int d) {
  static Scratch<float> scratch;
  const size_t rows = static_cast<size_t>(count) * M;
  float* memory = scratch.get(rows * (d + 2));
  return {memory, memory + rows * d, memory + rows * (d + 1), count};
}

// A thread per element of O.
__global__ void merge_kernel(Parts parts, float* O, int M, int d) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const size_t row = i / d, rows = M, elements = rows * d;
  if (i >= elements) return;
  float max = -CUDART_INF_F;
  for (int p = 0; p < parts.count; ++p) max = fmaxf(max, parts.max[p * rows + row]);
  float sum = 0.0f, o = 0.0f;
  for (int p = 0; p < parts.count; ++p) {
    const float weight = __expf(parts.max[p * rows + row] - max);
    sum += weight * parts.sum[p * rows + row];
    o += weight * parts.o[p * elements + i];
  }
  O[i] = o / sum;
}

inline void merge_parts(const Parts& parts, float* O, int M, int d) {
  const size_t elements = static_cast<size_t>(M) * d;
  merge_kernel<<<static_cast<unsigned>((elements - 1) / 256 + 1), 256>>>(parts, O, M, d);
}
