// Sixteen pixels per thread: 48 bytes are three 16-byte loads, and one 16-byte store.
//
// The last pixels % 16 go byte by byte, one thread each.
//
// Prediction: 48 bytes in flight per thread, far more than needed: memory is the limit, 63 us at
// 8192 x 8192. But lanes are 48 bytes apart, so each of the three loads touches 32 half sectors: 96
// sectors for 48 sectors of data. The second half comes from L1, if it is still there.
// Measured: 62.9 us at 8192x8192, 103 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "gray.h"

constexpr int THREADS = 256;

__global__ void rgb_to_gray_kernel(const unsigned char* rgb, unsigned char* gray, size_t pixels) {
  const size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
  const size_t groups = pixels / 16;
  if (i < groups) {
    const uint4* vectors = reinterpret_cast<const uint4*>(rgb) + 3 * i;
    const uint4 a = vectors[0];
    const uint4 b = vectors[1];
    const uint4 c = vectors[2];
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
