// Fault: pads with 0x7fffffff, which is smaller than half of all keys.
#include <cuda_runtime.h>

__global__ void pad(const unsigned* in, unsigned* keys, int n, int size) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < size) keys[i] = i < n ? in[i] : 0x7fffffffu;
}

__global__ void exchange(unsigned* keys, int size, int length, int distance) {
  const int pair = blockIdx.x * 256 + threadIdx.x;
  if (pair >= size / 2) return;
  const int low = 2 * pair - (pair & (distance - 1)), high = low + distance;
  const unsigned a = keys[low], b = keys[high];
  if ((a > b) == ((low & length) == 0)) {
    keys[low] = b;
    keys[high] = a;
  }
}

extern "C" void radix_sort(const unsigned* in, unsigned* out, int n) {
  int size = 1;
  while (size < n) size *= 2;
  unsigned* keys;
  cudaMalloc(&keys, size * sizeof(unsigned));
  pad<<<(size + 255) / 256, 256>>>(in, keys, n, size);
  for (int length = 2; length <= size; length *= 2)
    for (int distance = length / 2; distance > 0; distance /= 2)
      exchange<<<(size / 2 + 255) / 256, 256>>>(keys, size, length, distance);
  cudaMemcpy(out, keys, n * sizeof(unsigned), cudaMemcpyDeviceToDevice);
  cudaFree(keys);
}
