// Fault: float4 loads from the second half, which is aligned only if dim / 2 % 4 is 0.
#include <cuda_runtime.h>

__global__ void rope_kernel(const float* x, const float* cosine, const float* sine, float* y,
                            int tokens, int dim) {
  const int half = dim / 2;
  const int row = (blockIdx.x * blockDim.y + threadIdx.y) * dim;
  if (row >= tokens * dim) return;
  for (int j = 4 * threadIdx.x; j < half; j += 4 * blockDim.x) {
    float a[4], b[4];
    const int count = half - j < 4 ? half - j : 4;
    for (int k = 0; k < count; ++k) a[k] = x[row + j + k];
    if (count == 4) {
      const float4 v = *reinterpret_cast<const float4*>(x + row + half + j);
      b[0] = v.x, b[1] = v.y, b[2] = v.z, b[3] = v.w;
    } else {
      for (int k = 0; k < count; ++k) b[k] = x[row + half + j + k];
    }
    for (int k = 0; k < count; ++k) {
      const int low = row + j + k;
      const int high = low + half;
      y[low] = a[k] * cosine[low] - b[k] * sine[low];
      y[high] = b[k] * cosine[high] + a[k] * sine[high];
    }
  }
}

extern "C" void rope(const float* x, const float* cosine, const float* sine, float* y, int tokens,
                     int dim) {
  rope_kernel<<<(tokens + 7) / 8, dim3(32, 8)>>>(x, cosine, sine, y, tokens, dim);
}
