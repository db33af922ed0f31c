// The lanes of a warp that hold the same value elect one lane, which adds their number at once.
#include <cuda_runtime.h>

__global__ void histogram_kernel(const int* x, int* counts, int n) {
  const int lane = threadIdx.x % 32;
  for (int first = blockIdx.x * blockDim.x; first < n; first += gridDim.x * blockDim.x) {
    const int i = first + threadIdx.x;
    const int value = i < n ? x[i] : -1;
    const unsigned peers = __match_any_sync(0xffffffffu, value);
    if (value >= 0 && __ffs(peers) - 1 == lane) atomicAdd(&counts[value], __popc(peers));
  }
}

extern "C" void histogram(const int* x, int* counts, int n, int bins) {
  cudaMemset(counts, 0, bins * sizeof(int));
  histogram_kernel<<<8, 96>>>(x, counts, n);
}
