// Fault: at most 16 blocks, and no loop over the other elements.
#include <cuda_runtime.h>

__global__ void rope_kernel(const float* x, const float* cosine, const float* sine, float* y,
                            int tokens, int dim) {
  const int pair = blockIdx.x * blockDim.x + threadIdx.x;
  const int half = dim / 2;
  if (pair >= tokens * half) return;
  const int low = pair / half * dim + pair % half;
  const int high = low + half;
  y[low] = x[low] * cosine[low] - x[high] * sine[low];
  y[high] = x[high] * cosine[high] + x[low] * sine[high];
}

extern "C" void rope(const float* x, const float* cosine, const float* sine, float* y, int tokens,
                     int dim) {
  const int pairs = tokens * (dim / 2);
  const int grid = (pairs + 255) / 256;
  const int capped = grid < 16 ? grid : 16;
  rope_kernel<<<capped, 256>>>(x, cosine, sine, y, tokens, dim);
}
