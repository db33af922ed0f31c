// Columns in x, rows in y; the rows are strided, so that the grid stays small.
#include <cuda_runtime.h>

__global__ void gray_kernel(const unsigned char* rgb, unsigned char* gray, int width, int height) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= width) return;
  for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < height;
       row += gridDim.y * blockDim.y) {
    const size_t i = (size_t)row * width + col;
    gray[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2] + 128) / 256;
  }
}

extern "C" void rgb_to_gray(const unsigned char* rgb, unsigned char* gray, int width, int height) {
  const dim3 block(8, 24), grid((width + 7) / 8, min((height + 23) / 24, 4096));
  gray_kernel<<<grid, block>>>(rgb, gray, width, height);
}
