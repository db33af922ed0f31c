// A thread per logit counts how many come before it: its rank. One block per token.
#include <cuda_runtime.h>

__global__ void gate_kernel(const float* logits, float* weight, int* expert, int experts, int k) {
  __shared__ float sum;
  const float* row = logits + static_cast<size_t>(blockIdx.x) * experts;
  const size_t first = static_cast<size_t>(blockIdx.x) * k;
  float largest = row[0];
  for (int e = 1; e < experts; ++e) largest = fmaxf(largest, row[e]);
  if (threadIdx.x == 0) sum = 0.0f;
  __syncthreads();
  for (int e = threadIdx.x; e < experts; e += blockDim.x) {
    int rank = 0;
    for (int i = 0; i < experts; ++i) rank += row[i] > row[e] || (row[i] == row[e] && i < e);
    if (rank >= k) continue;
    weight[first + rank] = expf(row[e] - largest);
    expert[first + rank] = e;
    atomicAdd(&sum, expf(row[e] - largest));
  }
  __syncthreads();
  for (int r = threadIdx.x; r < k; r += blockDim.x) weight[first + r] /= sum;
}

extern "C" void moe_gate(const float* logits, float* weight, int* expert, int tokens, int experts,
                         int k) {
  gate_kernel<<<tokens, 64>>>(logits, weight, expert, experts, k);
}
