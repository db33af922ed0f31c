// Fault: the input is read as three planes, not as interleaved pixels.
#include <cuda_runtime.h>

__global__ void gray_kernel(const unsigned char* rgb, unsigned char* gray, int pixels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  const int r = rgb[i], g = rgb[pixels + i], b = rgb[2 * pixels + i];
  gray[i] = (77 * r + 150 * g + 29 * b + 128) >> 8;
}

extern "C" void rgb_to_gray(const unsigned char* rgb, unsigned char* gray, int width, int height) {
  gray_kernel<<<(width * height + 255) / 256, 256>>>(rgb, gray, width * height);
}
