// Sums in double, in one block, with a host-side variable named like a built-in one.
#include <cuda_runtime.h>

template <int threads>
__global__ void sum_kernel(const float* x, float* out, int n) {
  __shared__ double partial[threads];
  double mine = 0.0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) mine += x[i];
  partial[threadIdx.x] = mine;
  for (int half = threads / 2; half > 0; half >>= 1) {
    __syncthreads();
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
  }
  if (threadIdx.x == 0) out[0] = static_cast<float>(partial[0]);
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  constexpr int threads = 128;
  dim3 gridDim(1), blockDim(threads);
  sum_kernel<threads><<<gridDim, blockDim>>>(x, sum, n);
}
