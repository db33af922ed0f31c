// One __dp4a per pixel: the three products, their sum and the + 128 in one instruction.
//
// The unsigned __dp4a multiplies four bytes with four bytes, so weight 150 fits; the fourth weight
// is 0. Pixels 0 and 3 of a group lie in one word each. __byte_perm moves the bytes of pixels 1 and
// 2 into one word, and later collects byte 1 of four sums: a sum is at most 65408, so its byte 1 is
// the shifted result.
//
// Prediction: 9 instructions for 4 pixels where shifts, masks and multiply-adds were some 36. At
// 8192 x 8192 that is 4 us of issue slots instead of 18, hidden behind 63 us of memory anyway.
// Measured: 63.0 us at 8192x8192, 103 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "gray.h"

constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;
constexpr unsigned LOW_WEIGHTS = 0x001d964d;   // bytes 0, 1, 2: 77, 150, 29
constexpr unsigned HIGH_WEIGHTS = 0x1d964d00;  // bytes 1, 2, 3

// Four pixels from the three words that hold them.
__device__ unsigned gray4_dp4a(unsigned w0, unsigned w1, unsigned w2) {
  const unsigned p0 = __dp4a(w0, LOW_WEIGHTS, 128u);
  const unsigned p1 = __dp4a(__byte_perm(w0, w1, 0x0543), LOW_WEIGHTS, 128u);
  const unsigned p2 = __dp4a(__byte_perm(w1, w2, 0x0432), LOW_WEIGHTS, 128u);
  const unsigned p3 = __dp4a(w2, HIGH_WEIGHTS, 128u);
  return __byte_perm(__byte_perm(p0, p1, 0x0051), __byte_perm(p2, p3, 0x0051), 0x5410);
}

__global__ void rgb_to_gray_kernel(const unsigned char* rgb, unsigned char* gray, size_t pixels) {
  __shared__ uint4 tile[WARPS][96];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const size_t first = static_cast<size_t>(blockIdx.x) * THREADS + 32 * warp;  // group of lane 0
  const size_t groups = pixels / 16;
  const uint4* in = reinterpret_cast<const uint4*>(rgb) + 3 * first;

#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const int v = lane + 32 * k;
    if (3 * first + v < 3 * groups) tile[warp][v] = in[v];
  }
  __syncwarp();

  const size_t i = first + lane;
  if (i < groups) {
    const uint4 a = tile[warp][3 * lane];
    const uint4 b = tile[warp][3 * lane + 1];
    const uint4 c = tile[warp][3 * lane + 2];
    reinterpret_cast<uint4*>(gray)[i] =
        make_uint4(gray4_dp4a(a.x, a.y, a.z), gray4_dp4a(a.w, b.x, b.y), gray4_dp4a(b.z, b.w, c.x),
                   gray4_dp4a(c.y, c.z, c.w));
  }
  if (i < pixels % 16) gray_pixel(rgb, gray, 16 * groups + i);
}

extern "C" void rgb_to_gray(const unsigned char* rgb, unsigned char* gray, int width, int height) {
  const size_t pixels = static_cast<size_t>(width) * height;
  const size_t grid = pixels / 16 / THREADS + 1;  // at least one block, for the tail
  rgb_to_gray_kernel<<<static_cast<unsigned>(grid), THREADS>>>(rgb, gray, pixels);
}
