// Pairs of (max, sum) as structs, merged in shared memory by the online rule, in one block.
#include <cuda_runtime.h>

struct Partial {
  float max, sum;
};

__device__ Partial merge(Partial a, Partial b) {
  if (a.max < b.max) return merge(b, a);
  if (b.sum == 0.0f) return a;
  return {a.max, a.sum + b.sum * expf(b.max - a.max)};
}

__global__ void softmax_kernel(const float* x, float* y, int n) {
  __shared__ Partial partial[256];
  Partial mine = {-INFINITY, 0.0f};
  for (int i = threadIdx.x; i < n; i += 256) mine = merge(mine, {x[i], 1.0f});
  partial[threadIdx.x] = mine;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      partial[threadIdx.x] = merge(partial[threadIdx.x], partial[threadIdx.x + half]);
  }
  __syncthreads();
  const Partial all = partial[0];
  for (int i = threadIdx.x; i < n; i += 256) y[i] = expf(x[i] - all.max) / all.sum;
}

extern "C" void softmax(const float* x, float* y, int n) {
  softmax_kernel<<<1, 256>>>(x, y, n);
}
