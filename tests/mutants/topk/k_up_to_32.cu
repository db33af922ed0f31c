// Fault: one value per lane: never more than 32.
#include <cuda_runtime.h>
#include <math.h>

__global__ void topk_kernel(const float* x, float* y, int n, int k) {
  const int lane = threadIdx.x;
  float mine = -INFINITY;  // sorted across the lanes, the largest in lane 0
  for (int i = 0; i < n; ++i) {
    const float value = x[i];
    const int place = __popc(__ballot_sync(~0u, mine >= value));
    const float previous = __shfl_up_sync(~0u, mine, 1);
    if (lane == place) mine = value;
    if (lane > place) mine = previous;
  }
  if (lane < k) y[lane] = mine;
}

extern "C" void topk(const float* x, float* y, int n, int k) {
  topk_kernel<<<1, 32>>>(x, y, n, k);
}
