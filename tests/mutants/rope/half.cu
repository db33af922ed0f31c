// Fault: the products are narrowed to half.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ float narrow(float value) {
  return __half2float(__float2half(value));
}

__global__ void rope_kernel(const float* x, const float* cosine, const float* sine, float* y,
                            int tokens, int dim) {
  const int pair = blockIdx.x * blockDim.x + threadIdx.x;
  const int half = dim / 2;
  if (pair >= tokens * half) return;
  const int low = pair / half * dim + pair % half;
  const int high = low + half;
  y[low] = narrow(x[low] * cosine[low]) - narrow(x[high] * sine[low]);
  y[high] = narrow(x[high] * cosine[high]) + narrow(x[low] * sine[high]);
}

extern "C" void rope(const float* x, const float* cosine, const float* sine, float* y, int tokens,
                     int dim) {
  const int pairs = tokens * (dim / 2);
  rope_kernel<<<(pairs + 255) / 256, 256>>>(x, cosine, sine, y, tokens, dim);
}
