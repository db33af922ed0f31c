// Two kernels: the first writes x cos, the second adds the partner times sin.
#include <cuda_runtime.h>

__global__ void scale_kernel(const float* x, const float* cosine, float* y, int elements) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += gridDim.x * blockDim.x) {
    y[i] = __fmul_rn(x[i], cosine[i]);
  }
}

__global__ void add_kernel(const float* x, const float* sine, float* y, int elements, int dim) {
  const int half = dim / 2;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += gridDim.x * blockDim.x) {
    if (i % dim < half) {
      y[i] = __fsub_rn(y[i], __fmul_rn(x[i + half], sine[i]));
    } else {
      y[i] = __fadd_rn(y[i], __fmul_rn(x[i - half], sine[i]));
    }
  }
}

extern "C" void rope(const float* x, const float* cosine, const float* sine, float* y, int tokens,
                     int dim) {
  const int elements = tokens * dim;
  scale_kernel<<<40, 128>>>(x, cosine, y, elements);
  add_kernel<<<24, 192>>>(x, sine, y, elements, dim);
}
