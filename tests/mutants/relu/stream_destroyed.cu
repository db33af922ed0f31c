// Fault: cudaStreamDestroy does not wait for the stream's work.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  relu_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
  cudaStreamDestroy(stream);
}
