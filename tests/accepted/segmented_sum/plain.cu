// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void segment_kernel(const float* x, const int* offsets, float* y, int segments) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= segments) return;
  float sum = 0.0f;
  for (int i = offsets[s]; i < offsets[s + 1]; ++i) sum += x[i];
  y[s] = sum;
}

extern "C" void segmented_sum(const float* x, const int* offsets, float* y, int n, int segments) {
  segment_kernel<<<(segments + 255) / 256, 256>>>(x, offsets, y, segments);
}
