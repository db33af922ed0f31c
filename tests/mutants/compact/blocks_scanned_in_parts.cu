// Fault: the counts of 256 blocks are scanned together, and these groups are never joined.
#include <cuda_runtime.h>

constexpr int threads = 64;

// The rank of this thread's flag in the block, and the block's count.
__device__ int block_rank(bool keep, int& count) {
  __shared__ int warp_counts[threads / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned kept = __ballot_sync(~0u, keep);
  if (lane == 0) warp_counts[warp] = __popc(kept);
  __syncthreads();
  int before = 0;
  count = 0;
  for (int w = 0; w < threads / 32; ++w) {
    if (w < warp) before += warp_counts[w];
    count += warp_counts[w];
  }
  __syncthreads();
  return before + __popc(kept & ((1u << lane) - 1));
}

__global__ void count_blocks(const float* x, int* counts, int n) {
  const int i = blockIdx.x * threads + threadIdx.x;
  int count;
  block_rank(i < n && x[i] > 0.0f, count);
  if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

__global__ void scan_counts(const int* counts, int* places, int* total, int blocks) {
  const int start = threadIdx.x * 256;
  int sum = 0;
  for (int b = start; b < start + 256 && b < blocks; ++b) {
    places[b] = sum;
    sum += counts[b];
  }
  if (start + 256 >= blocks && start < blocks) *total = sum;
}

__global__ void scatter(const float* x, const int* places, float* y, int n) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const bool keep = i < n && x[i] > 0.0f;
  int count;
  const int rank = block_rank(keep, count);
  if (keep) y[places[blockIdx.x] + rank] = x[i];
}

extern "C" void compact(const float* x, float* y, int* count, int n) {
  const int blocks = (n - 1) / threads + 1;
  int *counts, *places;
  cudaMalloc(&counts, blocks * sizeof(int));
  cudaMalloc(&places, blocks * sizeof(int));
  count_blocks<<<blocks, threads>>>(x, counts, n);
  scan_counts<<<1, 1024>>>(counts, places, count, blocks);
  scatter<<<blocks, threads>>>(x, places, y, n);
  cudaFree(counts);
  cudaFree(places);
}
