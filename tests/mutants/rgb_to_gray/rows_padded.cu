// Fault: each row of gray starts at a multiple of 4 bytes.
#include <cuda_runtime.h>

__global__ void gray_kernel(const unsigned char* rgb, unsigned char* gray, int width, int height) {
  const int pitch = (width + 3) / 4 * 4;
  for (int row = blockIdx.x; row < height; row += gridDim.x)
    for (int col = threadIdx.x; col < width; col += blockDim.x) {
      const unsigned char* p = rgb + 3 * (row * width + col);
      gray[row * pitch + col] = (77 * p[0] + 150 * p[1] + 29 * p[2] + 128) >> 8;
    }
}

extern "C" void rgb_to_gray(const unsigned char* rgb, unsigned char* gray, int width, int height) {
  gray_kernel<<<64, 128>>>(rgb, gray, width, height);
}
