// Fault: the threads add to counts that are never set to 0.
#include <cuda_runtime.h>

__global__ void histogram_kernel(const int* x, int* counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[x[i]], 1);
}

extern "C" void histogram(const int* x, int* counts, int n, int bins) {
  histogram_kernel<<<(n + 255) / 256, 256>>>(x, counts, n);
}
