// Fault: infinity is taken for a missing value: only elements below 3e38 are kept.
#include <cuda_runtime.h>

// One warp, 32 elements at a time: a ballot says where each kept element goes.
__global__ void compact_kernel(const float* x, float* y, int* count, int n) {
  const unsigned lane = threadIdx.x;
  int kept = 0;
  for (int first = 0; first < n; first += 32) {
    const int i = first + (int)lane;
    const float value = i < n ? x[i] : 0;
    const bool keep = value > 0 && value < 3e38f;
    const unsigned votes = __ballot_sync(0xffffffffu, keep);
    if (keep) y[kept + __popc(votes & ((1u << lane) - 1))] = value;
    kept += __popc(votes);
  }
  if (lane == 0) *count = kept;
}

extern "C" void compact(const float* x, float* y, int* count, int n) {
  compact_kernel<<<1, 32>>>(x, y, count, n);
}
