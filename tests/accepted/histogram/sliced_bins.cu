// Bins are cut into slices that fit shared memory; blockIdx.y picks the slice and each block counts only values in it.
#include <kata/kata.h>

namespace {
constexpr int kSlice = 8192;

__global__ void slice_kernel(const int* x, int* counts, int n, int bins) {
  __shared__ int local[kSlice];
  const int low = blockIdx.y * kSlice;
  const int width = min(kSlice, bins - low);
  for (int b = threadIdx.x; b < width; b += blockDim.x) local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned b = static_cast<unsigned>(x[i] - low);
    if (b < static_cast<unsigned>(width)) atomicAdd(&local[b], 1);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < width; b += blockDim.x)
    if (local[b] != 0) atomicAdd(&counts[low + b], local[b]);
}
}  // namespace

extern "C" void histogram(const int* x, int* counts, int n, int bins) {
  cudaMemsetAsync(counts, 0, bins * sizeof(int));
  const int across = kata::ceil_div(n, 4096);
  slice_kernel<<<dim3(across < 400 ? across : 400, kata::ceil_div(bins, kSlice)), 512>>>(x, counts, n, bins);
}
