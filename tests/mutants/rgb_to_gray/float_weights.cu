// Fault: the float weights 0.299, 0.587, 0.114 instead of 77, 150, 29.
#include <cuda_runtime.h>

__global__ void gray_kernel(const unsigned char* rgb, unsigned char* gray, int pixels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  const int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
  gray[i] = (unsigned char)(0.299f * r + 0.587f * g + 0.114f * b + 0.5f);
}

extern "C" void rgb_to_gray(const unsigned char* rgb, unsigned char* gray, int width, int height) {
  gray_kernel<<<(width * height + 255) / 256, 256>>>(rgb, gray, width * height);
}
