// Fault: a flat loop over the output in steps of 1000 threads, of which the last returns at once.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  if (threadIdx.x == 999) return;
  const int stride = gridDim.x * 1000, n = rows * cols;
  for (int i = blockIdx.x * 1000 + threadIdx.x; i < n; i += stride) {
    out[i] = in[i % rows * cols + i / rows];
  }
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  transpose_kernel<<<8, 1000>>>(in, out, rows, cols);
}
