// Fault: no barrier between the warps' counts and their sum.
#include <cuda_runtime.h>

__global__ void compact_kernel(const float* x, float* y, int* count, int n) {
  __shared__ int warp_counts[4];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int place = 0;
  for (int first = 0; first < n; first += 128) {
    const int i = first + threadIdx.x;
    const bool keep = i < n && x[i] > 0.0f;
    const unsigned kept = __ballot_sync(~0u, keep);
    if (lane == 0) warp_counts[warp] = __popc(kept);
    int before = 0, all = 0;
    for (int w = 0; w < 4; ++w) {
      if (w < warp) before += warp_counts[w];
      all += warp_counts[w];
    }
    if (keep) y[place + before + __popc(kept & ((1u << lane) - 1))] = x[i];
    place += all;
    __syncthreads();
  }
  if (threadIdx.x == 0) *count = place;
}

extern "C" void compact(const float* x, float* y, int* count, int n) {
  compact_kernel<<<1, 128>>>(x, y, count, n);
}
