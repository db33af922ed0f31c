// Sorts the experts of each token by logit, then by number, and takes the softmax of the first k.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

extern "C" void moe_gate(const float* logits, float* weight, int* expert, int tokens, int experts, int k) {
  std::vector<float> x(static_cast<size_t>(tokens) * experts);
  std::vector<float> w(static_cast<size_t>(tokens) * k);
  std::vector<int> e(static_cast<size_t>(tokens) * k);
  cudaMemcpy(x.data(), logits, x.size() * sizeof(float), cudaMemcpyDeviceToHost);
  std::vector<int> order(experts);
  for (int t = 0; t < tokens; ++t) {
    const float* row = x.data() + static_cast<size_t>(t) * experts;
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + k, order.end(),
                      [row](int a, int b) { return row[a] > row[b] || (row[a] == row[b] && a < b); });
    float sum = 0.0f;
    for (int i = 0; i < k; ++i) sum += std::exp(row[order[i]] - row[order[0]]);
    for (int i = 0; i < k; ++i) {
      e[static_cast<size_t>(t) * k + i] = order[i];
      w[static_cast<size_t>(t) * k + i] = std::exp(row[order[i]] - row[order[0]]) / sum;
    }
  }
  cudaMemcpy(weight, w.data(), w.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(expert, e.data(), e.size() * sizeof(int), cudaMemcpyHostToDevice);
}
