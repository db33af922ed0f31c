// A plain kernel. faults.toml plants mistakes in it.
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

__global__ void many_bins_kernel(const int* x, int* counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[x[i]], 1);
}

extern "C" void histogram(const int* x, int* counts, int n, int bins) {
  cudaMemsetAsync(counts, 0, bins * sizeof(int));
  const size_t bytes = bins * sizeof(int);
  if (bins <= 58112) {
    cudaFuncSetAttribute(histogram_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    histogram_kernel<<<4, 256, bytes>>>(x, counts, n, bins);
  } else {
    many_bins_kernel<<<(n + 255) / 256, 256>>>(x, counts, n);
  }
}
