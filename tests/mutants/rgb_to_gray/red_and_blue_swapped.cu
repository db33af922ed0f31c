// Fault: the weights of red and blue are swapped.
#include <cuda_runtime.h>

__global__ void gray_kernel(const unsigned char* rgb, unsigned char* gray, int pixels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  const int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
  gray[i] = (29 * r + 150 * g + 77 * b + 128) >> 8;
}

extern "C" void rgb_to_gray(const unsigned char* rgb, unsigned char* gray, int width, int height) {
  gray_kernel<<<(width * height + 255) / 256, 256>>>(rgb, gray, width * height);
}
