// Runs of neighbouring elements per thread, chained FMA, one atomic per thread.
#include <cuda_runtime.h>

__global__ void zero(float* result) {
  *result = 0.0f;
}

__global__ void dot_kernel(const float* a, const float* b, float* result, int n, int run) {
  const int begin = (blockIdx.x * blockDim.x + threadIdx.x) * run;
  float sum = 0.0f;
  for (int i = begin; i < min(begin + run, n); ++i) sum = fmaf(a[i], b[i], sum);
  if (begin < n) atomicAdd(result, sum);
}

extern "C" void dot(const float* a, const float* b, float* result, int n) {
  const int run = n / 512 + 1;
  zero<<<1, 1>>>(result);
  dot_kernel<<<8, 64>>>(a, b, result, n, run);
}
