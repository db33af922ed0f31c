// Fault: the number of groups of four is rounded up, and the last group leaves both arrays.
#include <cuda_runtime.h>

__device__ unsigned gray1(unsigned r, unsigned g, unsigned b) {
  return (77 * (r & 255) + 150 * (g & 255) + 29 * (b & 255) + 128) >> 8;
}

__global__ void gray_kernel(const unsigned* rgb, unsigned* gray, int groups) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= groups) return;
  const unsigned a = rgb[3 * i], b = rgb[3 * i + 1], c = rgb[3 * i + 2];
  gray[i] = gray1(a, a >> 8, a >> 16) | gray1(a >> 24, b, b >> 8) << 8 |
            gray1(b >> 16, b >> 24, c) << 16 | gray1(c >> 8, c >> 16, c >> 24) << 24;
}

extern "C" void rgb_to_gray(const unsigned char* rgb, unsigned char* gray, int width, int height) {
  const int groups = (width * height + 3) / 4;
  gray_kernel<<<(groups + 255) / 256, 256>>>((const unsigned*)rgb, (unsigned*)gray, groups);
}
