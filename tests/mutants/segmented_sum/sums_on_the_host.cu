// Fault: the CPU computes the sums.
#include <cuda_runtime.h>

#include <vector>

extern "C" void segmented_sum(const float* x, const int* offsets, float* y, int n, int segments) {
  std::vector<float> values(n), sums(segments, 0.0f);
  std::vector<int> starts(segments + 1);
  cudaMemcpy(values.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(starts.data(), offsets, starts.size() * sizeof(int), cudaMemcpyDeviceToHost);
  for (int s = 0; s < segments; ++s)
    for (int i = starts[s]; i < starts[s + 1]; ++i) sums[s] += values[i];
  cudaMemcpy(y, sums.data(), segments * sizeof(float), cudaMemcpyHostToDevice);
}
