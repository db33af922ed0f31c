// CUB, NVIDIA's library of device-wide algorithms: cub::DeviceRadixSort::SortPairs of experts and
// assignments, which is stable. One kernel reads offsets and places off the sorted order; the copy
// is that of rung 4.
#include <cub/cub.cuh>

#include <stdio.h>

#include "../common/scratch.h"
#include "push_rows.h"

__global__ void fill_kernel(int* assignment, int n) {
  const int a = blockIdx.x * blockDim.x + threadIdx.x;
  if (a < n) assignment[a] = a;
}

// Thread i has the i-th place, and the experts that begin there.
__global__ void place_kernel(const int* sorted, const int* order, int* offsets, int* position,
                             int n, int experts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n) return;
  const int before = i > 0 ? sorted[i - 1] : -1;
  const int own = i < n ? sorted[i] : experts;
  for (int e = before + 1; e <= own; ++e) offsets[e] = i;
  if (i < n) position[order[i]] = i;
}

extern "C" void moe_permute(const __nv_bfloat16* x, const int* expert, __nv_bfloat16* y,
                            int* offsets, int* position, int tokens, int dim, int experts, int k) {
  static Scratch<char> scratch;
  static Scratch<int> lists;
  const int n = tokens * k;
  int bits = 1;
  while (experts > 1 << bits) ++bits;
  int* sorted = lists.get(3 * static_cast<size_t>(n));
  int* order = sorted + n;
  int* assignment = order + n;
  fill_kernel<<<(n - 1) / 256 + 1, 256>>>(assignment, n);
  size_t bytes = 0;
  cudaError_t status = cub::DeviceRadixSort::SortPairs(nullptr, bytes, expert, sorted, assignment,
                                                       order, n, 0, bits);
  if (status == cudaSuccess) {
    status = cub::DeviceRadixSort::SortPairs(scratch.get(bytes), bytes, expert, sorted, assignment,
                                             order, n, 0, bits);
  }
  if (status != cudaSuccess) fprintf(stderr, "moe_permute: CUB: %s\n", cudaGetErrorString(status));
  place_kernel<<<n / 256 + 1, 256>>>(sorted, order, offsets, position, n, experts);
  push_rows(x, position, y, tokens, dim, k);
}
