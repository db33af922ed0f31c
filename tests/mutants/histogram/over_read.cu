// Fault: the last int4 is read past the end where n is not a multiple of 4.
#include <cuda_runtime.h>

__global__ void histogram_kernel(const int* x, int* counts, int n) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const int4 v = *reinterpret_cast<const int4*>(x + i);
  atomicAdd(&counts[v.x], 1);
  if (i + 1 < n) atomicAdd(&counts[v.y], 1);
  if (i + 2 < n) atomicAdd(&counts[v.z], 1);
  if (i + 3 < n) atomicAdd(&counts[v.w], 1);
}

extern "C" void histogram(const int* x, int* counts, int n, int bins) {
  cudaMemsetAsync(counts, 0, bins * sizeof(int));
  histogram_kernel<<<n / 1024 + 1, 256>>>(x, counts, n);
}
