// Fault: pixels are read four bytes apart, as in RGBA.
#include <cuda_runtime.h>

__global__ void gray_kernel(const uchar4* rgb, unsigned char* gray, int pixels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  const uchar4 p = rgb[i];
  gray[i] = (77 * p.x + 150 * p.y + 29 * p.z + 128) >> 8;
}

extern "C" void rgb_to_gray(const unsigned char* rgb, unsigned char* gray, int width, int height) {
  const int pixels = width * height;
  gray_kernel<<<(pixels + 255) / 256, 256>>>((const uchar4*)rgb, gray, pixels);
}
