// Fault: a block has as many threads as a row has pairs, more than 1024 for long rows.
#include <cuda_runtime.h>

__global__ void rope_kernel(const float* x, const float* cosine, const float* sine, float* y,
                            int tokens, int dim) {
  const int half = dim / 2;
  const int low = blockIdx.x * dim + threadIdx.x;
  const int high = low + half;
  y[low] = x[low] * cosine[low] - x[high] * sine[low];
  y[high] = x[high] * cosine[high] + x[low] * sine[high];
}

extern "C" void rope(const float* x, const float* cosine, const float* sine, float* y, int tokens,
                     int dim) {
  rope_kernel<<<tokens, dim / 2>>>(x, cosine, sine, y, tokens, dim);
}
