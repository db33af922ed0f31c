// Fault: 128 is not added before the shift, so the result is rounded down.
#include <cuda_runtime.h>

__global__ void gray_kernel(const unsigned char* rgb, unsigned char* gray, int pixels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  const int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
  gray[i] = (77 * r + 150 * g + 29 * b) >> 8;
}

extern "C" void rgb_to_gray(const unsigned char* rgb, unsigned char* gray, int width, int height) {
  gray_kernel<<<(width * height + 255) / 256, 256>>>(rgb, gray, width * height);
}
