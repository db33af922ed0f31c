// One pixel per thread in one long row of blocks.
#include <cuda_runtime.h>

__global__ void pixel(const unsigned char* rgb, unsigned char* gray, unsigned pixels) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  const int at = static_cast<int>(i * 3u);
  gray[i] = static_cast<unsigned char>((77 * rgb[at] + 150 * rgb[at + 1] + 29 * rgb[at + 2] + 128) >> 8);
}

extern "C" void rgb_to_gray(const unsigned char* rgb, unsigned char* gray, int width, int height) {
  const unsigned pixels = static_cast<unsigned>(width) * static_cast<unsigned>(height);
  pixel<<<(pixels - 1) / 512 + 1, 512>>>(rgb, gray, pixels);
}
