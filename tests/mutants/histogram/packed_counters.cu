// Fault: two counts of 16 bits share a word of a block's memory, and one overflows into the other.
#include <cuda_runtime.h>

__global__ void histogram_kernel(const int* x, int* counts, int n, int bins) {
  extern __shared__ unsigned words[];
  for (int word = threadIdx.x; word < (bins + 1) / 2; word += blockDim.x) words[word] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    atomicAdd(&words[x[i] / 2], x[i] % 2 ? 65536u : 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    counts[bin] = bin % 2 ? words[bin / 2] >> 16 : words[bin / 2] & 65535u;
  }
}

extern "C" void histogram(const int* x, int* counts, int n, int bins) {
  const size_t bytes = (bins + 1) / 2 * sizeof(unsigned);
  cudaFuncSetAttribute(histogram_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  histogram_kernel<<<1, 1024, bytes>>>(x, counts, n, bins);
}
