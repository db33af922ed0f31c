// Fault: all bins are put into shared memory, but a launch gets 48 KiB unless it asks for more.
#include <cuda_runtime.h>

__global__ void histogram_kernel(const int* x, int* counts, int n, int bins) {
  extern __shared__ int local[];
  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) local[bin] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[x[i]], 1);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    if (local[bin] > 0) atomicAdd(&counts[bin], local[bin]);
  }
}

extern "C" void histogram(const int* x, int* counts, int n, int bins) {
  cudaMemsetAsync(counts, 0, bins * sizeof(int));
  histogram_kernel<<<4, 256, bins * sizeof(int)>>>(x, counts, n, bins);
}
