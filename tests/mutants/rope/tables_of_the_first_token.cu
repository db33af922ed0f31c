// Fault: every token takes the first row of the tables.
#include <cuda_runtime.h>

__global__ void rope_kernel(const float* x, const float* cosine, const float* sine, float* y,
                            int tokens, int dim) {
  const int pair = blockIdx.x * blockDim.x + threadIdx.x;
  const int half = dim / 2;
  if (pair >= tokens * half) return;
  const int j = pair % half;
  const int low = pair / half * dim + j;
  const int high = low + half;
  y[low] = x[low] * cosine[j] - x[high] * sine[j];
  y[high] = x[high] * cosine[j + half] + x[low] * sine[j + half];
}

extern "C" void rope(const float* x, const float* cosine, const float* sine, float* y, int tokens,
                     int dim) {
  const int pairs = tokens * (dim / 2);
  rope_kernel<<<(pairs + 255) / 256, 256>>>(x, cosine, sine, y, tokens, dim);
}
