// A block of 128 threads, the tree unrolled by templates; one shared array, used again and again.
#include <cuda_runtime.h>

template <int half>
__device__ void halve(float* shared) {
  if (threadIdx.x < half)
    shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + half]);
  __syncthreads();
  if constexpr (half > 1) halve<half / 2>(shared);
}

template <int threads>
__global__ void max_kernel(const float* x, float* out, int n) {
  __shared__ float shared[threads];
  float best = x[0];
  for (int first = 0; first < n; first += threads) {
    const int i = first + threadIdx.x;
    shared[threadIdx.x] = i < n ? x[i] : x[n - 1];
    __syncthreads();
    halve<threads / 2>(shared);
    best = fmaxf(best, shared[0]);
    __syncthreads();
  }
  if (threadIdx.x == threads - 1) *out = best;
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  max_kernel<128><<<1, 128>>>(x, max, n);
}
