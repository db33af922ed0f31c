// Fault: the count is the start of the last block, without the elements that this block keeps.
#include <cuda_runtime.h>

constexpr int threads = 256;

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

__global__ void scan_counts(int* counts, int* total, int blocks) {
  int sum = 0;
  for (int b = 0; b < blocks; ++b) {
    const int count = counts[b];
    counts[b] = sum;
    sum += count;
  }
  *total = counts[blocks - 1];
}

__global__ void scatter(const float* x, const int* counts, float* y, int n) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const bool keep = i < n && x[i] > 0.0f;
  int count;
  const int rank = block_rank(keep, count);
  if (keep) y[counts[blockIdx.x] + rank] = x[i];
}

extern "C" void compact(const float* x, float* y, int* count, int n) {
  const int blocks = (n - 1) / threads + 1;
  int* counts;
  cudaMalloc(&counts, blocks * sizeof(int));
  count_blocks<<<blocks, threads>>>(x, counts, n);
  scan_counts<<<1, 1>>>(counts, count, blocks);
  scatter<<<blocks, threads>>>(x, counts, y, n);
  cudaFree(counts);
}
