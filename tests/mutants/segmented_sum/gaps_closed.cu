// Fault: a reduction by key: it has no result for an empty segment, so later sums move up.
#include <cuda_runtime.h>

__global__ void reduce_kernel(const float* x, const int* offsets, float* y, int segments) {
  int place = 0;
  for (int s = 0; s < segments; ++s) {
    if (offsets[s] == offsets[s + 1]) continue;
    float sum = 0.0f;
    for (int i = offsets[s]; i < offsets[s + 1]; ++i) sum += x[i];
    y[place++] = sum;
  }
}

extern "C" void segmented_sum(const float* x, const int* offsets, float* y, int n, int segments) {
  cudaMemset(y, 0, segments * sizeof(float));
  reduce_kernel<<<1, 1>>>(x, offsets, y, segments);
}
