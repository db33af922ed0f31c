// Fault: sorts in place, in the caller's input.
#include <cuda_runtime.h>

__global__ void exchange(unsigned* keys, int n, int odd) {
  const int i = 2 * (blockIdx.x * 128 + threadIdx.x) + odd;
  if (i + 1 >= n || keys[i] <= keys[i + 1]) return;
  const unsigned larger = keys[i];
  keys[i] = keys[i + 1];
  keys[i + 1] = larger;
}

extern "C" void radix_sort(const unsigned* in, unsigned* out, int n) {
  unsigned* keys = const_cast<unsigned*>(in);
  for (int step = 0; step < n && step < 64; ++step)
    exchange<<<(n / 2 + 127) / 128 + 1, 128>>>(keys, n, step % 2);
  cudaMemcpy(out, keys, n * sizeof(unsigned), cudaMemcpyDeviceToDevice);
}
