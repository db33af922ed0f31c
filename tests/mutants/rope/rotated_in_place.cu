// Fault: x is copied to y and turned there, while the thread of the partner still reads it.
#include <cuda_runtime.h>

__global__ void rope_kernel(const float* x, const float* cosine, const float* sine, float* y,
                            int tokens, int dim) {
  const int token = blockIdx.x;
  const int half = dim / 2;
  const float* in = x + token * dim;
  float* out = y + token * dim;
  for (int j = threadIdx.x; j < dim; j += blockDim.x) out[j] = in[j];
  __syncthreads();
  for (int j = threadIdx.x; j < dim; j += blockDim.x) {
    const float partner = j < half ? -out[j + half] : out[j - half];
    out[j] = out[j] * cosine[token * dim + j] + partner * sine[token * dim + j];
  }
}

extern "C" void rope(const float* x, const float* cosine, const float* sine, float* y, int tokens,
                     int dim) {
  rope_kernel<<<tokens, 64>>>(x, cosine, sine, y, tokens, dim);
}
