// Fault: the CPU computes half of the elements.
#include <cuda_runtime.h>
#include <vector>
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0);
}
extern "C" void relu(const float* x, float* y, int n) {
  int m = n / 2;
  k<<<(n - m + 255) / 256, 256>>>(x, y, n - m);
  if (!m) return;
  std::vector<float> h(m);
  cudaMemcpy(h.data(), x + n - m, m * 4, cudaMemcpyDeviceToHost);
  for (auto& v : h) v = v > 0 ? v : 0;
  cudaMemcpy(y + n - m, h.data(), m * 4, cudaMemcpyHostToDevice);
}
