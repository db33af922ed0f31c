// Writes the number of its segment beside each element. Then the lanes of a warp with the same
// number find each other by __match_any_sync, and the lowest of them adds up the others' elements.
#include <cuda_runtime.h>

__global__ void label_kernel(const int* offsets, int* labels, float* y, int segments) {
  const int s = blockIdx.x;
  for (int i = offsets[s] + threadIdx.x; i < offsets[s + 1]; i += blockDim.x) labels[i] = s;
  if (threadIdx.x == 0) y[s] = 0.0f;
}

__global__ void match_kernel(const float* x, const int* labels, float* y, int n) {
  __shared__ float values[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int label = i < n ? labels[i] : -1;
  values[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncwarp();
  unsigned lanes = __match_any_sync(0xffffffffu, label);
  if (label < 0 || __ffs(lanes) - 1 != threadIdx.x % 32) return;
  float sum = 0.0f;
  for (; lanes != 0; lanes &= lanes - 1) sum += values[threadIdx.x / 32 * 32 + __ffs(lanes) - 1];
  atomicAdd(&y[label], sum);
}

extern "C" void segmented_sum(const float* x, const int* offsets, float* y, int n, int segments) {
  int* labels = nullptr;
  cudaMallocAsync(&labels, (n + 1) * sizeof(int), 0);
  label_kernel<<<segments, 32>>>(offsets, labels, y, segments);
  match_kernel<<<n / 256 + 1, 256>>>(x, labels, y, n);
  cudaFreeAsync(labels, 0);
}
