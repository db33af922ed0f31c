// Fault: the kernel runs in a stream that nothing waits for before the function returns.
#include <kata/kata.h>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  static cudaStream_t stream = [] {
    cudaStream_t created;
    cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking);
    return created;
  }();
  add_kernel<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
}
