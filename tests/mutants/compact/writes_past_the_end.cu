// Fault: all lanes store; lanes that keep nothing store after the kept elements, past the end.
#include <cuda_runtime.h>

__global__ void compact_kernel(const float* x, float* y, int* count, int n) {
  int place = 0;
  for (int first = 0; first < n; first += 32) {
    const int i = first + threadIdx.x;
    const bool keep = i < n && x[i] > 0.0f;
    const unsigned kept = __ballot_sync(~0u, keep), below = (1u << threadIdx.x) - 1;
    const int rank = keep ? __popc(kept & below) : __popc(kept) + __popc(~kept & below);
    y[place + rank] = i < n ? x[i] : 0.0f;
    __syncwarp();
    place += __popc(kept);
  }
  if (threadIdx.x == 0) *count = place;
}

extern "C" void compact(const float* x, float* y, int* count, int n) {
  compact_kernel<<<1, 32>>>(x, y, count, n);
}
