// Partial sums in memory of the stream's own pool; a second kernel with one warp adds them.
#include <cuda_runtime.h>

__device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}

__global__ void partial_sums(const float* x, float* partial, int n) {
  float mine = 0.0f;
  for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * 32) mine += x[i];
  mine = warp_sum(mine);
  if (threadIdx.x == 0) partial[blockIdx.x] = mine;
}

__global__ void total(const float* partial, float* sum, int n) {
  float mine = 0.0f;
  for (int i = threadIdx.x; i < n; i += 32) mine += partial[i];
  mine = warp_sum(mine);
  if (threadIdx.x == 0) *sum = mine;
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  const int blocks = 50;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float* partial = nullptr;
  cudaMallocAsync(&partial, blocks * sizeof(float), stream);
  partial_sums<<<blocks, 32, 0, stream>>>(x, partial, n);
  total<<<1, 32, 0, stream>>>(partial, sum, blocks);
  cudaFreeAsync(partial, stream);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}
