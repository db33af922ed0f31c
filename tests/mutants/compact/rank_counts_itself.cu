// Fault: a lane counts itself among the lanes below: everything moves up by one place.
#include <cuda_runtime.h>

__global__ void compact_kernel(const float* x, float* y, int* count, int n) {
  int place = 0;
  for (int first = 0; first < n; first += 32) {
    const int i = first + threadIdx.x;
    const bool keep = i < n && x[i] > 0.0f;
    const unsigned kept = __ballot_sync(~0u, keep);
    const int rank = __popc(kept & ((2u << threadIdx.x) - 1));
    if (keep && place + rank < n) y[place + rank] = x[i];
    place += __popc(kept);
  }
  if (threadIdx.x == 0) *count = place;
}

extern "C" void compact(const float* x, float* y, int* count, int n) {
  compact_kernel<<<1, 32>>>(x, y, count, n);
}
