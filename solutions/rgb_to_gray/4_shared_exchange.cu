// Contiguous loads: a warp reads three runs of 512 bytes and exchanges them in shared memory.
//
// Lane l needs vectors 3 l, 3 l + 1 and 3 l + 2 of the warp's 96. It loads vectors l, l + 32 and l
// + 64, so every load is 16 full sectors, and takes its own from shared memory. There the lanes
// are 48 bytes apart: eight lanes, one wavefront, cover all 32 banks once. No conflict.
//
// Prediction: 48 sectors per warp instead of 96. The rung before found the other 48 in L1, which
// is not the limit (131072 warps x 3 loads x 16 wavefronts are 24 us): no gain, 63 us.
// Measured: 63.2 us at 8192x8192, 103 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "gray.h"

constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;

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
    reinterpret_cast<uint4*>(gray)[i] = make_uint4(gray4(a.x, a.y, a.z), gray4(a.w, b.x, b.y),
                                                   gray4(b.z, b.w, c.x), gray4(c.y, c.z, c.w));
  }
  if (i < pixels % 16) gray_pixel(rgb, gray, 16 * groups + i);
}

extern "C" void rgb_to_gray(const unsigned char* rgb, unsigned char* gray, int width, int height) {
  const size_t pixels = static_cast<size_t>(width) * height;
  const size_t grid = pixels / 16 / THREADS + 1;  // at least one block, for the tail
  rgb_to_gray_kernel<<<static_cast<unsigned>(grid), THREADS>>>(rgb, gray, pixels);
}
