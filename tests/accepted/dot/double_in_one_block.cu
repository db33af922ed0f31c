// One block of an odd number of warps, sums in double.
#include <cuda_runtime.h>

__global__ void dot_kernel(const float* __restrict__ a, const float* __restrict__ b, float* result,
                           int n) {
  __shared__ double sums[96];
  double sum = 0.0;
  for (int i = threadIdx.x; i < n; i += 96) sum += (double)a[i] * b[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 96; ++i) sum += sums[i];
    *result = (float)sum;
  }
}

extern "C" void dot(const float* a, const float* b, float* result, int n) {
  dot_kernel<<<1, 96>>>(a, b, result, n);
}
