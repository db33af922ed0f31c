// Pairs of floats as 64-bit words where n is even, single floats where it is odd.
#include <cuda_runtime.h>

__device__ unsigned long long halves_swapped(unsigned long long word) {
  return word << 32 | word >> 32;
}

__global__ void words(unsigned long long* x, int count) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x, j = count - 1 - i;
  if (i > j) return;
  const unsigned long long front = x[i], back = x[j];
  x[i] = halves_swapped(back);
  x[j] = halves_swapped(front);
}

__global__ void singles(float* x, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n / 2) return;
  const float front = x[i];
  x[i] = x[n - 1 - i];
  x[n - 1 - i] = front;
}

extern "C" void reverse(float* x, int n) {
  const int blocks = n / 2 / 96 + 1;
  if (n % 2 == 0)
    words<<<blocks, 96>>>((unsigned long long*)x, n / 2);
  else
    singles<<<blocks, 96>>>(x, n);
}
