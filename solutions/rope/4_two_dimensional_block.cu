// A two-dimensional block: x selects the pairs and y the token, so no thread divides.
//
// A 64-bit division takes about 70 instructions, more than the rest of the kernel. The host
// divides once instead: a block is as wide as half a row has vectors, and holds as many tokens as
// fit into 256 threads. Warps may span several tokens, so no lane is idle for short rows. A row
// with more than 256 vectors takes a loop.
//
// Prediction: 50 instructions per thread instead of 120, 0.6 us of issue slots at 16384 x 128
// instead of 1.3, and the loads start earlier: 10.9 us, the limit. Met.
// Measured: 11.1 us at 16384x128, 101 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/pack.h"

constexpr int THREADS = 256;

template <int WIDTH>
__global__ void rope_kernel(const float* x, const float* cosine, const float* sine, float* y,
                            int tokens, int dim) {
  const int token = blockIdx.x * blockDim.y + threadIdx.y;
  if (token >= tokens) return;
  const int half = dim / 2;
  const size_t row = static_cast<size_t>(token) * dim;
  for (int j = WIDTH * threadIdx.x; j < half; j += WIDTH * blockDim.x) {
    const size_t low = row + j;
    const size_t high = low + half;
    const auto a = load_pack<WIDTH>(x + low);
    const auto b = load_pack<WIDTH>(x + high);
    const auto low_cosine = load_pack<WIDTH>(cosine + low);
    const auto low_sine = load_pack<WIDTH>(sine + low);
    const auto high_cosine = load_pack<WIDTH>(cosine + high);
    const auto high_sine = load_pack<WIDTH>(sine + high);
    Pack<float, WIDTH> low_y;
    Pack<float, WIDTH> high_y;
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      low_y.at[k] = a.at[k] * low_cosine.at[k] - b.at[k] * low_sine.at[k];
      high_y.at[k] = b.at[k] * high_cosine.at[k] + a.at[k] * high_sine.at[k];
    }
    store_pack(y + low, low_y);
    store_pack(y + high, high_y);
  }
}

extern "C" void rope(const float* x, const float* cosine, const float* sine, float* y, int tokens,
                     int dim) {
  const int half = dim / 2;
  const int width = half % 4 == 0 ? 4 : 1;
  const int lanes = half / width < THREADS ? half / width : THREADS;
  const dim3 block(lanes, THREADS / lanes);
  const int grid = (tokens - 1) / block.y + 1;
  if (width == 4) {
    rope_kernel<4><<<grid, block>>>(x, cosine, sine, y, tokens, dim);
  } else {
    rope_kernel<1><<<grid, block>>>(x, cosine, sine, y, tokens, dim);
  }
}
