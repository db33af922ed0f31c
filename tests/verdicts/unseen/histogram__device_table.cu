// Counts in a table that lives on the device, then copies the bins that were asked for.
#include <cuda_runtime.h>

namespace {
__device__ int table[65536];

__global__ void tally(const int* x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&table[x[i]], 1);
}

__global__ void hand_out(int* counts, int bins) {
  for (int b = blockIdx.x * blockDim.x + threadIdx.x; b < bins; b += gridDim.x * blockDim.x) counts[b] = table[b];
}
}  // namespace

extern "C" void histogram(const int* x, int* counts, int n, int bins) {
  const int grid = n < 256 * 1000 ? (n + 255) / 256 : 1000;
  tally<<<grid, 256>>>(x, n);
  hand_out<<<64, 256>>>(counts, bins);
}
