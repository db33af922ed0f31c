// A plain kernel. faults.toml plants mistakes in it.
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
  rope_kernel<<<(pairs + 255) / 256, 256>>>(x, cosine, sine, y, tokens, dim);
}
