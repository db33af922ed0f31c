// Fault: the CPU computes, and its result goes through scratch memory.
#include <cuda_runtime.h>
#include <vector>
extern "C" void relu(const float* x, float* y, int n) {
  std::vector<float> h(n);
  float* d;
  cudaMalloc(&d, n * 4);
  cudaMemcpy(h.data(), x, n * 4, cudaMemcpyDeviceToHost);
  for (auto& v : h) v = v > 0 ? v : 0;
  cudaMemcpy(d, h.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(y, d, n * 4, cudaMemcpyDeviceToDevice);
  cudaFree(d);
}
