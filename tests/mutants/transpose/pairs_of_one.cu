// Fault: a thread per pair of elements, rounded down: none if there is one element.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * cols; i += threads) {
    out[i % cols * rows + i / cols] = in[i];
  }
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const int pairs = rows * cols / 2;
  transpose_kernel<<<(pairs + 255) / 256, 256>>>(in, out, rows, cols);
}
