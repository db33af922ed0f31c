// Every block gets a contiguous range of the vector; maxima, then sums, are collected per block, and the last kernel writes.
#include <cuda_runtime.h>
#include <cfloat>

namespace {
constexpr int kThreads = 256, kBlocks = 1024;
__device__ float maxima[kBlocks], sums[kBlocks];

__device__ float tree(float v, bool maximum) {
  __shared__ float s[kThreads];
  __syncthreads();
  s[threadIdx.x] = v;
  __syncthreads();
  for (int d = kThreads / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) {
      const float a = s[threadIdx.x], b = s[threadIdx.x + d];
      s[threadIdx.x] = maximum ? fmaxf(a, b) : a + b;
    }
    __syncthreads();
  }
  return s[0];
}

__device__ int border(int n, int block) { return static_cast<int>(static_cast<unsigned>(n) * block / gridDim.x); }

__device__ float all_maxima() {
  float m = -FLT_MAX;
  for (int i = threadIdx.x; i < gridDim.x; i += kThreads) m = fmaxf(m, maxima[i]);
  return tree(m, true);
}

__global__ void maximum_kernel(const float* x, int n) {
  float m = -FLT_MAX;
  for (int i = border(n, blockIdx.x) + threadIdx.x; i < border(n, blockIdx.x + 1); i += kThreads) m = fmaxf(m, x[i]);
  m = tree(m, true);
  if (threadIdx.x == 0) maxima[blockIdx.x] = m;
}

__global__ void sum_kernel(const float* x, int n) {
  const float m = all_maxima();
  float t = 0.0f;
  for (int i = border(n, blockIdx.x) + threadIdx.x; i < border(n, blockIdx.x + 1); i += kThreads) t += expf(x[i] - m);
  t = tree(t, false);
  if (threadIdx.x == 0) sums[blockIdx.x] = t;
}

__global__ void write_kernel(const float* x, float* y, int n) {
  const float m = all_maxima();
  float t = 0.0f;
  for (int i = threadIdx.x; i < gridDim.x; i += kThreads) t += sums[i];
  t = tree(t, false);
  for (int i = border(n, blockIdx.x) + threadIdx.x; i < border(n, blockIdx.x + 1); i += kThreads)
    y[i] = expf(x[i] - m) / t;
}
}  // namespace

extern "C" void softmax(const float* x, float* y, int n) {
  maximum_kernel<<<kBlocks, kThreads>>>(x, n);
  sum_kernel<<<kBlocks, kThreads>>>(x, n);
  write_kernel<<<kBlocks, kThreads>>>(x, y, n);
}
