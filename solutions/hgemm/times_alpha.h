#pragma once
// The end of a product with beta 0, where rows of C are aligned: C = alpha sum. Less code than
// Scaled.

#include <cuda_fp16.h>
#include <stdint.h>

struct TimesAlpha {
  float alpha;

  __device__ uint32_t packed(int, int, float x, float y) const {
    const __half2 pair = __floats2half2_rn(alpha * x, alpha * y);
    return reinterpret_cast<const uint32_t&>(pair);
  }
};

// The same with C itself, for small tiles.
struct AlignedTimesAlpha : TimesAlpha {
  __half* C;
  int M, N;
};
