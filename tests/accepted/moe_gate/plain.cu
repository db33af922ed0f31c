// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>
#include <float.h>
#include <math_constants.h>

__global__ void gate_kernel(const float* logits, float* weight, int* expert, int tokens,
                            int experts, int k) {
  const int token = blockIdx.x * blockDim.y + threadIdx.y;
  if (token >= tokens) return;
  const float* row = logits + static_cast<size_t>(token) * experts;
  weight += static_cast<size_t>(token) * k;
  expert += static_cast<size_t>(token) * k;
  float last = CUDART_INF_F, largest = 0.0f, sum = 0.0f;
  int last_index = -1;
  for (int r = 0; r < k; ++r) {
    float best = -CUDART_INF_F;
    int index = experts;
    for (int e = threadIdx.x; e < experts; e += 32) {
      const bool after = row[e] < last || (row[e] == last && e > last_index);
      if (after && row[e] > best) best = row[e], index = e;
    }
    for (int o = 16; o > 0; o /= 2) {
      const float other = __shfl_xor_sync(~0u, best, o);
      const int other_index = __shfl_xor_sync(~0u, index, o);
      if (other > best || (other == best && other_index < index)) best = other, index = other_index;
    }
    if (r == 0) largest = best;
    const float exponential = expf(best - largest);
    sum += exponential;
    if (threadIdx.x == 0) {
      weight[r] = exponential;
      expert[r] = index;
    }
    last = best, last_index = index;
  }
  __syncwarp();
  for (int r = threadIdx.x; r < k; r += 32) weight[r] /= sum;
}

extern "C" void moe_gate(const float* logits, float* weight, int* expert, int tokens, int experts,
                         int k) {
  gate_kernel<<<(tokens + 3) / 4, dim3(32, 4)>>>(logits, weight, expert, tokens, experts, k);
}
