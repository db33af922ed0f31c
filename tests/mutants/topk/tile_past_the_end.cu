// Fault: a tile of 32 is loaded without a bounds check.
#include <cuda_runtime.h>
#include <math.h>

__global__ void topk_kernel(const float* x, float* y, int n, int k) {
  float limit = INFINITY;
  int done = 0;
  while (done < k) {  // the largest value below the limit, as often as it occurs
    float largest = -INFINITY;
    int ties = 0;
    for (int first = 0; first < n; first += 32) {
      const float value = x[first + threadIdx.x];
      if (value < limit && value > largest) largest = value, ties = 0;
      if (value == largest) ++ties;
    }
    float all = largest;
    for (int d = 16; d > 0; d /= 2) all = fmaxf(all, __shfl_xor_sync(~0u, all, d));
    ties = __reduce_add_sync(~0u, largest == all ? ties : 0);
    for (int i = done + threadIdx.x; i < done + ties && i < k; i += 32) y[i] = all;
    done += ties;
    limit = all;
  }
}

extern "C" void topk(const float* x, float* y, int n, int k) {
  topk_kernel<<<1, 32>>>(x, y, n, k);
}
