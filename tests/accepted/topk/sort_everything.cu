// A bitonic network over all values, padded with -INFINITY.
#include <cuda_runtime.h>
#include <math.h>

__global__ void pad(const float* x, float* v, int n, int size) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < size) v[i] = i < n ? x[i] : -INFINITY;
}

__global__ void exchange(float* v, int size, int length, int distance) {
  const int pair = blockIdx.x * 256 + threadIdx.x;
  if (pair >= size / 2) return;
  const int low = 2 * pair - (pair & (distance - 1)), high = low + distance;
  const float a = v[low], b = v[high];
  if ((a < b) == ((low & length) == 0)) {
    v[low] = b;
    v[high] = a;
  }
}

extern "C" void topk(const float* x, float* y, int n, int k) {
  int size = 1;
  while (size < n) size *= 2;
  float* v;
  cudaMalloc(&v, size * sizeof(float));
  pad<<<(size + 255) / 256, 256>>>(x, v, n, size);
  for (int length = 2; length <= size; length *= 2)
    for (int distance = length / 2; distance > 0; distance /= 2)
      exchange<<<(size / 2 + 255) / 256, 256>>>(v, size, length, distance);
  cudaMemcpy(y, v, k * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaFree(v);
}
