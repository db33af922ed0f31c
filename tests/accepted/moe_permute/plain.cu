// Counts with atomics in device memory, a thread that adds them up, and ranks by one warp that takes
// all assignments in order; then a thread per element copies. faults.toml plants mistakes in it.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void count(const int* expert, int* counts, int n) {
  const int a = blockIdx.x * blockDim.x + threadIdx.x;
  if (a < n) atomicAdd(&counts[expert[a]], 1);
}

__global__ void add_up(const int* counts, int* offsets, int* next, int experts) {
  int sum = 0;
  for (int e = 0; e < experts; ++e) {
    offsets[e] = sum;
    next[e] = sum;
    sum += counts[e];
  }
  offsets[experts] = sum;
}

__global__ void place(const int* expert, int* next, int* position, int n) {
  const int lane = threadIdx.x;
  for (int first = 0; first < n; first += 32) {
    const int a = first + lane;
    const int e = a < n ? expert[a] : -1;
    int lower = 0, same = 0;
    for (int other = 0; other < 32; ++other) {
      const int its = __shfl_sync(~0u, e, other);
      lower += its == e && other < lane;
      same += its == e;
    }
    const int begin = e >= 0 ? next[e] : 0;
    __syncwarp();
    if (e >= 0) position[a] = begin + lower;
    if (e >= 0 && lower == same - 1) next[e] = begin + same;
    __syncwarp();
  }
}

__global__ void copy(const __nv_bfloat16* x, const int* position, __nv_bfloat16* y, long long size,
                     int dim, int k) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const int a = i / dim, col = i % dim;
  const int row = position[a];
  y[static_cast<size_t>(row) * dim + col] = x[static_cast<size_t>(a / k) * dim + col];
}

extern "C" void moe_permute(const __nv_bfloat16* x, const int* expert, __nv_bfloat16* y,
                            int* offsets, int* position, int tokens, int dim, int experts, int k) {
  const int n = tokens * k;
  const long long size = static_cast<long long>(n) * dim;
  int* counts;
  cudaMalloc(&counts, 2 * experts * sizeof(int));
  cudaMemsetAsync(counts, 0, 2 * experts * sizeof(int));
  count<<<(n + 191) / 192, 192>>>(expert, counts, n);
  add_up<<<1, 1>>>(counts, offsets, counts + experts, experts);
  place<<<1, 32>>>(expert, counts + experts, position, n);
  copy<<<(size + 191) / 192, 192>>>(x, position, y, size, dim, k);
  cudaFree(counts);
}
