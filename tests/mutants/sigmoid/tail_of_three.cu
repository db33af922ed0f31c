// Fault: the tail after the float4 loop handles at most two elements, and n % 4 may be 3.
#include <cuda_runtime.h>

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, vectors = n / 4;
  for (int k = 4 * i; i < vectors && k < 4 * i + 4; ++k) y[k] = 1.0f / (1.0f + expf(-x[k]));
  const int last = 4 * vectors + i;
  if (i < 2 && n > 3 && last < n) y[last] = 1.0f / (1.0f + expf(-x[last]));
  if (n < 4 && i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  sigmoid_kernel<<<n / 1024 + 1, 256>>>(x, y, n);
}
