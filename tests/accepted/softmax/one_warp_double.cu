// One warp, sums and exponentials in double precision.
#include <cuda_runtime.h>

__global__ void softmax_kernel(const float* x, float* y, int n) {
  float best = -INFINITY;
  for (int i = threadIdx.x; i < n; i += 32) best = x[i] > best ? x[i] : best;
  for (int lane = 1; lane < 32; lane <<= 1) best = fmaxf(best, __shfl_xor_sync(~0u, best, lane));
  double sum = 0.0;
  for (int i = threadIdx.x; i < n; i += 32) sum += exp(static_cast<double>(x[i]) - best);
  for (int lane = 1; lane < 32; lane <<= 1) sum += __shfl_xor_sync(~0u, sum, lane);
  for (int i = threadIdx.x; i < n; i += 32)
    y[i] = static_cast<float>(exp(static_cast<double>(x[i]) - best) / sum);
}

extern "C" void softmax(const float* x, float* y, int n) {
  softmax_kernel<<<1, 32>>>(x, y, n);
}
