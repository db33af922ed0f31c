// Fault: the k largest are found among the first 4096 places of a sort by counting.
#include <cuda_runtime.h>

__global__ void topk_kernel(const float* x, float* y, int n, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int place = 0;
  for (int j = 0; j < n && place < k; ++j) place += x[j] > x[i] || (x[j] == x[i] && j < i);
  if (place < k && place < 4096) y[place] = x[i];
}

extern "C" void topk(const float* x, float* y, int n, int k) {
  topk_kernel<<<(n + 255) / 256, 256>>>(x, y, n, k);
}
