// Fault: whole groups of four pairs only; the last dim / 2 % 4 pairs of a row stay unwritten.
#include <cuda_runtime.h>

__global__ void rope_kernel(const float* x, const float* cosine, const float* sine, float* y,
                            int tokens, int dim) {
  const int half = dim / 2;
  const int row = (blockIdx.x * blockDim.y + threadIdx.y) * dim;
  if (row >= tokens * dim) return;
  for (int group = threadIdx.x; group < half / 4; group += blockDim.x) {
    for (int k = 0; k < 4; ++k) {
      const int low = row + 4 * group + k;
      const int high = low + half;
      y[low] = x[low] * cosine[low] - x[high] * sine[low];
      y[high] = x[high] * cosine[high] + x[low] * sine[high];
    }
  }
}

extern "C" void rope(const float* x, const float* cosine, const float* sine, float* y, int tokens,
                     int dim) {
  rope_kernel<<<(tokens + 7) / 8, dim3(32, 8)>>>(x, cosine, sine, y, tokens, dim);
}
