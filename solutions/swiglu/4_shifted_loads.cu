// Vector loads also where the second half is misaligned: load around it and shift in registers.
//
// Let shift = n / 2 % 4. The four up values of a thread lie in two aligned float4: 4 - shift of
// them at the end of the first, shift at the beginning of the second. The second float4 is the
// first one of the next thread, so both loads of a warp touch the same sectors, and L1 serves the
// second. shift is a template parameter: which register moves where is decided at compile time.
//
// Prediction: with n / 2 % 4 == 0 nothing changes, 93 us at n = 2^26. Otherwise the same bytes
// cross device memory with 4 memory instructions per 4 outputs instead of 12: 95 us instead of 120.
// Measured: 92.7 us at 67108866, 103 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/load4.h"

constexpr int THREADS = 256;

__device__ float silu(float x) {
  return __fdividef(x, 1.0f + __expf(-x));
}

// The four floats at `from`, which lies SHIFT floats after a multiple of 16 bytes.
template <int SHIFT>
__device__ Vec4 load_shifted(const float* from) {
  const Vec4 low = load4(from - SHIFT);
  if (SHIFT == 0) return low;
  const Vec4 high = load4(from - SHIFT + 4);
  Vec4 v;
#pragma unroll
  for (int k = 0; k < 4; ++k) v.at[k] = k + SHIFT < 4 ? low.at[k + SHIFT] : high.at[k + SHIFT - 4];
  return v;
}

// The first `vectors` threads take four outputs each, the next ones a single output of the tail.
template <int SHIFT>
__global__ void swiglu_kernel(const float* x, float* y, int outputs, int vectors) {
  const int tid = blockIdx.x * THREADS + threadIdx.x;
  if (tid < vectors) {
    const int i = 4 * tid;
    const Vec4 gate = load4(x + i);
    const Vec4 up = load_shifted<SHIFT>(x + outputs + i);
    Vec4 product;
#pragma unroll
    for (int k = 0; k < 4; ++k) product.at[k] = silu(gate.at[k]) * up.at[k];
    store4(y + i, product);
    return;
  }
  const int i = 4 * vectors + tid - vectors;
  if (i < outputs) y[i] = silu(x[i]) * x[outputs + i];
}

template <int SHIFT>
void launch(const float* x, float* y, int outputs) {
  // With SHIFT == 1, x ends in the middle of the last float4 that the last vector would load.
  const int vectors = SHIFT == 1 ? max(outputs / 4 - 1, 0) : outputs / 4;
  const int threads = vectors + outputs - 4 * vectors;
  swiglu_kernel<SHIFT><<<kata::ceil_div(threads, THREADS), THREADS>>>(x, y, outputs, vectors);
}

extern "C" void swiglu(const float* x, float* y, int n) {
  const int outputs = n / 2;
  switch (outputs % 4) {
    case 0:
      return launch<0>(x, y, outputs);
    case 1:
      return launch<1>(x, y, outputs);
    case 2:
      return launch<2>(x, y, outputs);
    default:
      return launch<3>(x, y, outputs);
  }
}
