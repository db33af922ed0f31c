// One warp walks through x; the places behind the kept elements are filled with zeros.
#include <cuda_runtime.h>

__global__ void compact_kernel(const float* x, float* y, int* count, int n) {
  int place = 0;
  for (int first = 0; first < n; first += 32) {
    const int i = first + threadIdx.x;
    const bool keep = i < n && x[i] > 0.0f;
    const unsigned kept = __ballot_sync(~0u, keep);
    if (keep) y[place + __popc(kept & ((1u << threadIdx.x) - 1))] = x[i];
    place += __popc(kept);
  }
  for (int i = place + threadIdx.x; i < n; i += 32) y[i] = 0.0f;
  if (threadIdx.x == 0) *count = place;
}

extern "C" void compact(const float* x, float* y, int* count, int n) {
  compact_kernel<<<1, 32>>>(x, y, count, n);
}
