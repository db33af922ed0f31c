// Fault: a bitonic network over n keys, correct only for powers of two.
#include <cuda_runtime.h>

__global__ void exchange(unsigned* keys, int n, int length, int distance) {
  const int low = blockIdx.x * 256 + threadIdx.x, high = low ^ distance;
  if (high <= low || high >= n) return;
  const unsigned a = keys[low], b = keys[high];
  if ((a > b) == ((low & length) == 0)) {
    keys[low] = b;
    keys[high] = a;
  }
}

extern "C" void radix_sort(const unsigned* in, unsigned* out, int n) {
  cudaMemcpy(out, in, n * sizeof(unsigned), cudaMemcpyDeviceToDevice);
  for (int length = 2; length / 2 < n; length *= 2)
    for (int distance = length / 2; distance > 0; distance /= 2)
      exchange<<<(n + 255) / 256, 256>>>(out, n, length, distance);
}
