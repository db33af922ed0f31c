// Fault: the token is blockIdx.y, which ends at 65535.
#include <cuda_runtime.h>

__global__ void rope_kernel(const float* x, const float* cosine, const float* sine, float* y,
                            int tokens, int dim) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int half = dim / 2;
  if (j >= half) return;
  const int low = blockIdx.y * dim + j;
  const int high = low + half;
  y[low] = x[low] * cosine[low] - x[high] * sine[low];
  y[high] = x[high] * cosine[high] + x[low] * sine[high];
}

extern "C" void rope(const float* x, const float* cosine, const float* sine, float* y, int tokens,
                     int dim) {
  rope_kernel<<<dim3((dim / 2 + 31) / 32, tokens), 32>>>(x, cosine, sine, y, tokens, dim);
}
