#pragma once
// The partial results of rungs 4 and 5, and the kernel that merges them.

#include "../common/scratch.h"
#include "cache.h"

// Row r is head r % heads of sequence r / heads. Sum and output of a part are in units of exp(max);
// a part without keys has the sum 0, and its other numbers may be anything.
struct Parts {
  float *o, *max, *sum;  // [rows][count][dim], [rows][count] twice
  int count, keys;       // keys in each
};

// As many parts as make 2048 blocks, but at least 128 keys in each. `blocks` are those of one part.
inline Parts make_parts(int rows, int blocks, int max_length, int dim) {
  static Scratch<float> scratch;
  const int wanted = min(kata::ceil_div(2048, blocks), kata::ceil_div(max_length, 128));
  const int keys = kata::ceil_div(max_length, wanted);
  const int count = kata::ceil_div(max_length, keys);
  const size_t all = static_cast<size_t>(rows) * count;
  float* memory = scratch.get(all * (dim + 2));
  return {memory, memory + all * dim, memory + all * (dim + 1), count, keys};
}

// A block per row, a thread per element.
__global__ void merge_kernel(Parts parts, __half* out) {
  const size_t first = static_cast<size_t>(blockIdx.x) * parts.count;
  float max = -CUDART_INF_F;
  for (int p = 0; p < parts.count; ++p) {
    if (parts.sum[first + p] > 0.0f) max = fmaxf(max, parts.max[first + p]);
  }
  float sum = 0.0f, o = 0.0f;
  for (int p = 0; p < parts.count; ++p) {
    if (parts.sum[first + p] == 0.0f) continue;
    const float weight = __expf(parts.max[first + p] - max);
    sum += weight * parts.sum[first + p];
    o += weight * parts.o[(first + p) * blockDim.x + threadIdx.x];
  }
  out[static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x] = __float2half(o / sum);
}

inline void merge_parts(const Parts& parts, __half* out, int rows, int dim) {
  merge_kernel<<<rows, dim>>>(parts, out);
}
