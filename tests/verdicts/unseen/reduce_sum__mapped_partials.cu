// Blocks write their sums straight into pinned host memory; the few hundred partial sums are added there.
#include <cuda_runtime.h>

__global__ void partial(const float* x, float* part, int n) {
  __shared__ float s[256];
  float t = 0.0f;
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n; i += gridDim.x * 256LL) t += x[i];
  s[threadIdx.x] = t;
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) part[blockIdx.x] = s[0];
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  int blocks = (n - 1) / 256 + 1;
  if (blocks > 528) blocks = 528;
  volatile float* host = nullptr;
  cudaHostAlloc(reinterpret_cast<void**>(const_cast<float**>(&host)), blocks * sizeof(float), cudaHostAllocMapped);
  for (int b = 0; b < blocks; ++b) host[b] = 0.0f;
  float* seen = nullptr;
  cudaHostGetDevicePointer(reinterpret_cast<void**>(&seen), const_cast<float*>(host), 0);
  partial<<<blocks, 256>>>(x, seen, n);
  double total = 0.0;
  for (int b = 0; b < blocks; ++b) total += host[b];
  const float result = static_cast<float>(total);
  cudaMemcpy(sum, &result, sizeof(float), cudaMemcpyHostToDevice);
  cudaFreeHost(const_cast<float*>(host));
}
