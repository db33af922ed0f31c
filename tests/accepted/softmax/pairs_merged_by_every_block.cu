// Each block keeps a running (maximum, sum) pair; every block of the second kernel merges all pairs and writes its share.
#include <cuda_runtime.h>
#include <cfloat>

namespace {
constexpr int kThreads = 256;
constexpr int kBlocks = 512;
__device__ float2 pairs[kBlocks];

__device__ float2 merge(float2 a, float2 b) {
  const float m = fmaxf(a.x, b.x);
  return make_float2(m, a.y * expf(a.x - m) + b.y * expf(b.x - m));
}

// The merged pair of all threads, given to all threads.
__device__ float2 merge_block(float2 p) {
  __shared__ float2 s[kThreads];
  s[threadIdx.x] = p;
  __syncthreads();
  for (int d = kThreads / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] = merge(s[threadIdx.x], s[threadIdx.x + d]);
    __syncthreads();
  }
  return s[0];
}

__global__ void collect(const float* x, int n) {
  float2 p = make_float2(-FLT_MAX, 0.0f);
  for (long long i = blockIdx.x * (long long)kThreads + threadIdx.x; i < n; i += (long long)gridDim.x * kThreads) {
    const float v = x[i];
    if (v > p.x) {
      p.y = p.y * expf(p.x - v) + 1.0f;
      p.x = v;
    } else {
      p.y += expf(v - p.x);
    }
  }
  p = merge_block(p);
  if (threadIdx.x == 0) pairs[blockIdx.x] = p;
}

__global__ void spread(const float* x, float* y, int n, int count) {
  float2 p = make_float2(-FLT_MAX, 0.0f);
  for (int i = threadIdx.x; i < count; i += kThreads) p = merge(p, pairs[i]);
  p = merge_block(p);
  const float inverse = 1.0f / p.y;
  for (long long i = blockIdx.x * (long long)kThreads + threadIdx.x; i < n; i += (long long)gridDim.x * kThreads)
    y[i] = expf(x[i] - p.x) * inverse;
}
}  // namespace

extern "C" void softmax(const float* x, float* y, int n) {
  int blocks = (n - 1) / kThreads + 1;
  if (blocks > kBlocks) blocks = kBlocks;
  collect<<<blocks, kThreads>>>(x, n);
  spread<<<blocks, kThreads>>>(x, y, n, blocks);
}
