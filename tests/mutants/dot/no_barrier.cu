// Fault: the tree in shared memory has no barrier between its steps.
#include <cuda_runtime.h>

__global__ void dot_kernel(const float* a, const float* b, float* result, int n) {
  __shared__ float sums[256];
  const int tid = threadIdx.x, i = blockIdx.x * 256 + tid;
  sums[tid] = i < n ? a[i] * b[i] : 0.0f;
  __syncthreads();
  for (int s = 128; s > 0; s /= 2)
    if (tid < s) sums[tid] += sums[tid + s];
  if (tid == 0) atomicAdd(result, sums[0]);
}

extern "C" void dot(const float* a, const float* b, float* result, int n) {
  cudaMemsetAsync(result, 0, sizeof(float));
  dot_kernel<<<(n + 255) / 256, 256>>>(a, b, result, n);
}
