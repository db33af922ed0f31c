// Fault: as many threads as pairs: no thread at all, and no launch, for n = 1.
#include <cuda_runtime.h>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  const int pair = blockIdx.x * blockDim.x + threadIdx.x;
  if (pair >= n / 2) return;
  c[2 * pair] = a[2 * pair] + b[2 * pair];
  c[2 * pair + 1] = a[2 * pair + 1] + b[2 * pair + 1];
  if (pair == 0 && n % 2) c[n - 1] = a[n - 1] + b[n - 1];
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  add_kernel<<<(n / 2 + 255) / 256, 256>>>(a, b, c, n);
}
