// A block of 96 per token, the argmax by a 64-bit atomicMax, each key below the last; fast math.
#include <cuda_runtime.h>

__global__ void gate_kernel(const float* logits, float* weight, int* expert, int experts, int k) {
  __shared__ unsigned long long best;
  __shared__ float largest, sum;
  const float* row = logits + static_cast<size_t>(blockIdx.x) * experts;
  const size_t first = static_cast<size_t>(blockIdx.x) * k;
  unsigned long long last = ~0ull;
  for (int r = 0; r < k; ++r) {
    __syncthreads();
    if (threadIdx.x == 0) best = 0;
    __syncthreads();
    for (int e = threadIdx.x; e < experts; e += blockDim.x) {
      const int bits = __float_as_int(row[e] + 0.0f);
      const unsigned ordered = bits < 0 ? ~bits : bits ^ 0x80000000u;
      const auto key = static_cast<unsigned long long>(ordered) << 32 | (0xffffffffu - e);
      if (key < last) atomicMax(&best, key);
    }
    __syncthreads();
    last = best;
    if (threadIdx.x > 0) continue;
    const int winner = 0xffffffffu - static_cast<unsigned>(last);
    if (r == 0) largest = row[winner], sum = 0.0f;
    sum += __expf(row[winner] - largest);
    expert[first + r] = winner;
  }
  __syncthreads();
  for (int r = threadIdx.x; r < k; r += blockDim.x) {
    weight[first + r] = __fdividef(__expf(row[expert[first + r]] - largest), sum);
  }
}

extern "C" void moe_gate(const float* logits, float* weight, int* expert, int tokens, int experts,
                         int k) {
  gate_kernel<<<tokens, 96>>>(logits, weight, expert, experts, k);
}
