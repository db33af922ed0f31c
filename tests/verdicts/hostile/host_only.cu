// No kernel: the CPU computes everything.
#include <cuda_runtime.h>

#include <vector>

extern "C" void relu(const float* x, float* y, int n) {
  std::vector<float> host(n);
  cudaMemcpy(host.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (float& one : host) one = one > 0 ? one : 0;
  cudaMemcpy(y, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
}
