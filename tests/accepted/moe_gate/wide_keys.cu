// One 64-bit key per logit, ordered bits above the inverted index; insertion sort by one thread.
#include <cuda_runtime.h>

__device__ unsigned long long key_of(float logit, int index) {
  const unsigned bits = __float_as_uint(logit == 0.0f ? 0.0f : logit);
  const unsigned ordered = bits >> 31 ? ~bits : bits | 0x80000000u;
  return static_cast<unsigned long long>(ordered) << 32 | static_cast<unsigned>(~index);
}

__global__ void gate_kernel(const float* logits, float* weight, int* expert, int tokens,
                            int experts, int k) {
  const int token = blockIdx.x * blockDim.x + threadIdx.x;
  if (token >= tokens) return;
  const float* row = logits + static_cast<size_t>(token) * experts;
  int* chosen = expert + static_cast<size_t>(token) * k;
  float* weights = weight + static_cast<size_t>(token) * k;
  int count = 0;
  for (int e = 0; e < experts; ++e) {
    const unsigned long long key = key_of(row[e], e);
    int place = count;
    while (place > 0 && key_of(row[chosen[place - 1]], chosen[place - 1]) < key) --place;
    if (place == k) continue;
    if (count < k) ++count;
    for (int i = count - 1; i > place; --i) chosen[i] = chosen[i - 1];
    chosen[place] = e;
  }
  double sum = 0;
  for (int r = 0; r < k; ++r) sum += exp(static_cast<double>(row[chosen[r]]) - row[chosen[0]]);
  for (int r = 0; r < k; ++r) {
    weights[r] = exp(static_cast<double>(row[chosen[r]]) - row[chosen[0]]) / sum;
  }
}

extern "C" void moe_gate(const float* logits, float* weight, int* expert, int tokens, int experts,
                         int k) {
  gate_kernel<<<(tokens + 31) / 32, 32>>>(logits, weight, expert, tokens, experts, k);
}
