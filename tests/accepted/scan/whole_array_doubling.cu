// Hillis and Steele over the whole array, a launch for each distance.
#include <cuda_runtime.h>

__global__ void add_lower(const float* from, float* to, int n, int d) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) to[i] = i >= d ? from[i] + from[i - d] : from[i];
}

extern "C" void scan(const float* x, float* y, int n) {
  float* other = nullptr;
  if (cudaMalloc(&other, n * sizeof(float)) != cudaSuccess) return;
  const float* from = x;
  float* to = y;
  for (int d = 1; d < n; d *= 2) {
    add_lower<<<(n + 255) / 256, 256>>>(from, to, n, d);
    from = to;
    to = to == y ? other : y;
  }
  if (from != y) cudaMemcpy(y, from, n * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaFree(other);
}
