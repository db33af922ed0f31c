// A thread per pair of columns goes down all tokens; arithmetic in double.
#include <cuda_runtime.h>

__global__ void rope_kernel(const float* x, const float* cosine, const float* sine, float* y,
                            int tokens, int dim) {
  const int half = dim / 2;
  const int stripes = gridDim.y;
  for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < half; j += gridDim.x * blockDim.x) {
    for (int token = blockIdx.y; token < tokens; token += stripes) {
      const size_t low = static_cast<size_t>(token) * dim + j;
      const size_t high = low + half;
      const double a = x[low], b = x[high];
      y[low] = static_cast<float>(a * cosine[low] - b * sine[low]);
      y[high] = static_cast<float>(b * cosine[high] + a * sine[high]);
    }
  }
}

extern "C" void rope(const float* x, const float* cosine, const float* sine, float* y, int tokens,
                     int dim) {
  rope_kernel<<<dim3(3, 50), 64>>>(x, cosine, sine, y, tokens, dim);
}
