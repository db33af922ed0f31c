// One thread per element finds its segment by binary search and adds with a float atomic.
#include <cuda_runtime.h>

__global__ void element_kernel(const float* x, const int* offsets, float* y, int n, int segments) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int low = 0, high = segments - 1;  // the last segment that starts at i or before
  while (low < high) {
    const int middle = low + (high - low + 1) / 2;
    if (offsets[middle] <= i) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  atomicAdd(&y[low], x[i]);
}

extern "C" void segmented_sum(const float* x, const int* offsets, float* y, int n, int segments) {
  cudaMemsetAsync(y, 0, segments * sizeof(float));
  if (n == 0) return;
  element_kernel<<<(n - 1) / 128 + 1, 128>>>(x, offsets, y, n, segments);
}
