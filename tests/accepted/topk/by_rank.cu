// Each value counts the larger ones and the equal ones before it: its rank is its place.
#include <cuda_runtime.h>

__global__ void rank_kernel(const float* x, float* y, int n, int k) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  const float value = x[i];
  int rank = 0;
  for (int j = 0; j < n && rank < k; ++j) rank += x[j] > value || (x[j] == value && j < i);
  if (rank < k) y[rank] = value;
}

extern "C" void topk(const float* x, float* y, int n, int k) {
  rank_kernel<<<(n + 63) / 64, 64>>>(x, y, n, k);
}
