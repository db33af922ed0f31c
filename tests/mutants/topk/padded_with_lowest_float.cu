// Fault: elements are clamped at -FLT_MAX, the value that pads the list: -infinity is not returned.
#include <cuda_runtime.h>

#include <cfloat>

// Each element's rank is the number of those before it in the result.
__global__ void topk_kernel(const float* x, float* y, int n, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float mine = fmaxf(x[i], -FLT_MAX);
  int rank = 0;
  for (int j = 0; j < n && rank < k; ++j) {
    const float other = fmaxf(x[j], -FLT_MAX);
    rank += other > mine || (other == mine && j < i);
  }
  if (rank < k) y[rank] = mine;
}

extern "C" void topk(const float* x, float* y, int n, int k) {
  topk_kernel<<<(n + 127) / 128, 128>>>(x, y, n, k);
}
