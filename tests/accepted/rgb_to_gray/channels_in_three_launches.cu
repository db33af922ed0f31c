// One launch per channel, into a 32-bit scratch image, and a last one that rounds.
#include <cuda_runtime.h>

__global__ void add_channel(const unsigned char* channel, int* sum, int weight, int start,
                            size_t pixels) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pixels) sum[i] = (start >= 0 ? start : sum[i]) + weight * channel[3 * i];
}

__global__ void shift(const int* sum, unsigned char* gray, size_t pixels) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pixels) gray[i] = sum[i] >> 8;
}

extern "C" void rgb_to_gray(const unsigned char* rgb, unsigned char* gray, int width, int height) {
  const size_t pixels = (size_t)width * height;
  const unsigned grid = (unsigned)((pixels + 255) / 256);
  int* sum = nullptr;
  cudaMalloc(&sum, pixels * sizeof(int));
  add_channel<<<grid, 256>>>(rgb, sum, 77, 128, pixels);
  add_channel<<<grid, 256>>>(rgb + 1, sum, 150, -1, pixels);
  add_channel<<<grid, 256>>>(rgb + 2, sum, 29, -1, pixels);
  shift<<<grid, 256>>>(sum, gray, pixels);
  cudaFree(sum);
}
