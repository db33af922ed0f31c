// Products of a chunk are staged in shared memory, the lower half of the block adds pairs of them, chunk after chunk.
#include <cuda_runtime.h>

namespace {
constexpr int kThreads = 256;

__global__ void staged(const float* a, const float* b, float* result, int n) {
  __shared__ float s[kThreads];
  const int t = threadIdx.x;
  float acc = 0.0f;
  for (long long i = static_cast<long long>(blockIdx.x) * kThreads + t; i < n;
       i += static_cast<long long>(gridDim.x) * kThreads) {
    s[t] = a[i] * b[i];
    __syncthreads();
    if (t < kThreads / 2) acc += s[t] + (i + kThreads / 2 < n ? s[t + kThreads / 2] : 0.0f);
    __syncthreads();
  }
  s[t] = acc;
  __syncthreads();
  for (int d = kThreads / 2; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) atomicAdd(result, s[0]);
}
}  // namespace

extern "C" void dot(const float* a, const float* b, float* result, int n) {
  cudaMemsetAsync(result, 0, sizeof(float), 0);
  int blocks = (n - 1) / kThreads + 1;
  if (blocks > 800) blocks = 800;
  staged<<<blocks, kThreads>>>(a, b, result, n);
}
