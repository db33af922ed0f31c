// Four neighbouring pairs per thread: every access is a 16-byte vector.
//
// Both halves of every row begin at multiples of 16 bytes only if dim / 2 is a multiple of 4. That
// holds for the head sizes of models (64, 80, 128, 256). Other sizes take one pair per thread: a
// misaligned vector access is an error on the device.
// The rung to reach in 30 minutes.
//
// Prediction: 96 bytes in flight per thread instead of 24, and one division per four pairs. At
// 16384 x 128 there are 262144 threads, one full wave of an H200, which ask for 25 MB at once. 1.3
// us of issue slots remain: 11.5 us. Missed: every warp of the single wave divides before its first
// load. At 262144 x 128 this rung is faster than the one before, 131 us instead of 137.
// Measured: 12.9 us at 16384x128, 87 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/pack.h"

constexpr int THREADS = 256;

template <int WIDTH>
__global__ void rope_kernel(const float* x, const float* cosine, const float* sine, float* y,
                            size_t packs, int dim) {
  const size_t pack = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
  if (pack >= packs) return;
  const int half = dim / 2;
  const size_t token = WIDTH * pack / half;
  const size_t low = WIDTH * pack + token * half;  // token * dim + WIDTH * pack % half
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

template <int WIDTH>
void launch(const float* x, const float* cosine, const float* sine, float* y, int tokens, int dim) {
  const size_t packs = static_cast<size_t>(tokens) * (dim / 2 / WIDTH);
  const int grid = static_cast<int>((packs - 1) / THREADS + 1);
  rope_kernel<WIDTH><<<grid, THREADS>>>(x, cosine, sine, y, packs, dim);
}

extern "C" void rope(const float* x, const float* cosine, const float* sine, float* y, int tokens,
                     int dim) {
  if (dim / 2 % 4 == 0) {
    launch<4>(x, cosine, sine, y, tokens, dim);
  } else {
    launch<1>(x, cosine, sine, y, tokens, dim);
  }
}
