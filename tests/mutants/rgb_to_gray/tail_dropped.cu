// Fault: four pixels per thread, and the last pixels % 4 are never written.
#include <cuda_runtime.h>

__global__ void gray_kernel(const uchar3* rgb, unsigned char* gray, int groups) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= groups) return;
  for (int k = 4 * i; k < 4 * i + 4; ++k)
    gray[k] = (77 * rgb[k].x + 150 * rgb[k].y + 29 * rgb[k].z + 128) >> 8;
}

extern "C" void rgb_to_gray(const unsigned char* rgb, unsigned char* gray, int width, int height) {
  const int groups = width * height / 4;
  gray_kernel<<<groups / 256 + 1, 256>>>((const uchar3*)rgb, gray, groups);
}
