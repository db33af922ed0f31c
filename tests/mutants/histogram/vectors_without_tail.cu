// Fault: elements are counted four at a time, and the last n % 4 are forgotten.
#include <cuda_runtime.h>

__global__ void histogram_kernel(const int4* x, int* counts, int count4) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count4) return;
  const int4 v = x[i];
  atomicAdd(&counts[v.x], 1);
  atomicAdd(&counts[v.y], 1);
  atomicAdd(&counts[v.z], 1);
  atomicAdd(&counts[v.w], 1);
}

extern "C" void histogram(const int* x, int* counts, int n, int bins) {
  cudaMemsetAsync(counts, 0, bins * sizeof(int));
  const int count4 = n / 4;
  histogram_kernel<<<count4 / 256 + 1, 256>>>(reinterpret_cast<const int4*>(x), counts, count4);
}
