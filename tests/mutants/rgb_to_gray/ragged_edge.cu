// Fault: width / 16 and height / 16 are rounded down before ceil(), so the ragged edge is left out.
#include <cuda_runtime.h>

__global__ void gray_kernel(const unsigned char* rgb, unsigned char* gray, int width, int height) {
  const int col = blockIdx.x * 16 + threadIdx.x;
  for (int row = blockIdx.y * 16 + threadIdx.y; row < height; row += gridDim.y * 16) {
    const int i = row * width + col;
    if (col < width)
      gray[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2] + 128) >> 8;
  }
}

extern "C" void rgb_to_gray(const unsigned char* rgb, unsigned char* gray, int width, int height) {
  const int blocks_x = max(1, (int)ceil(width / 16)), blocks_y = max(1, (int)ceil(height / 16));
  gray_kernel<<<dim3(blocks_x, min(blocks_y, 1024)), dim3(16, 16)>>>(rgb, gray, width, height);
}
