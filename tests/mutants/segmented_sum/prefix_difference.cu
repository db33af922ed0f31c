// Fault: each sum is a difference of two prefix sums, which cancel where neighbours are large.
#include <cuda_runtime.h>

__global__ void prefix_kernel(const float* x, float* prefix, int n) {
  float sum = 0.0f;
  prefix[0] = 0.0f;
  for (int i = 0; i < n; ++i) prefix[i + 1] = sum += x[i];
}

__global__ void difference_kernel(const float* prefix, const int* offsets, float* y,
                                  int segments) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s < segments) y[s] = prefix[offsets[s + 1]] - prefix[offsets[s]];
}

extern "C" void segmented_sum(const float* x, const int* offsets, float* y, int n, int segments) {
  float* prefix;
  cudaMalloc(&prefix, (n + 1) * sizeof(float));
  prefix_kernel<<<1, 1>>>(x, prefix, n);
  difference_kernel<<<(segments + 127) / 128, 128>>>(prefix, offsets, y, segments);
  cudaFree(prefix);
}
