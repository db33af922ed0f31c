// Each thread walks along 16 consecutive elements, stores nothing for what it finds empty, and adds
// each of its partial sums with an atomic.
#include <cuda_runtime.h>

constexpr int ITEMS = 16;

__global__ void chunk_kernel(const float* x, const int* offsets, float* y, int n, int segments) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
  if (first >= n) return;
  int s = 0, high = segments;  // the first segment that ends after `first`
  while (s < high) {
    const int middle = (s + high) / 2;
    if (offsets[middle + 1] <= first) {
      s = middle + 1;
    } else {
      high = middle;
    }
  }
  float sum = 0.0f;
  for (int i = first; i < first + ITEMS && i < n; ++i) {
    while (offsets[s + 1] <= i) {
      atomicAdd(&y[s++], sum);
      sum = 0.0f;
    }
    sum += x[i];
  }
  atomicAdd(&y[s], sum);
}

extern "C" void segmented_sum(const float* x, const int* offsets, float* y, int n, int segments) {
  cudaMemset(y, 0, segments * sizeof(float));
  if (n > 0) chunk_kernel<<<n / (64 * ITEMS) + 1, 64>>>(x, offsets, y, n, segments);
}
