// One grid row per token and 128 threads along the pairs of that token.
#include <cuda_runtime.h>

__global__ void rotate(const float* x, const float* cosine, const float* sine, float* y, int dim) {
  const int half = dim / 2;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= half) return;
  const size_t base = static_cast<size_t>(blockIdx.y) * dim;
  const float a = x[base + j], b = x[base + j + half];
  y[base + j] = a * cosine[base + j] - b * sine[base + j];
  y[base + j + half] = b * cosine[base + j + half] + a * sine[base + j + half];
}

extern "C" void rope(const float* x, const float* cosine, const float* sine, float* y, int tokens, int dim) {
  const dim3 grid((dim / 2 + 127) / 128, tokens);
  rotate<<<grid, 128>>>(x, cosine, sine, y, dim);
}
