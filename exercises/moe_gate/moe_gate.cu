// moe_gate: for each token, the k experts with the largest logits, and the softmax of those k.
// logits is [tokens, experts]; weight and expert are [tokens, k], all row-major.
//
// The winners are in descending order, of equal logits the lower expert first. -0 equals 0.
// 1 <= k <= experts. weight arrives filled with NaN, expert with arbitrary numbers.
// Given: one warp per token, 4 warps per block. You may change the launch and add helpers.
// Check it: harness/kata check moe_gate   or   ctest -R moe_gate
#include <kata/kata.h>

__global__ void gate_kernel(const float* logits, float* weight, int* expert, int tokens,
                            int experts, int k) {
  // your code
}

extern "C" void moe_gate(const float* logits, float* weight, int* expert, int tokens, int experts,
                         int k) {
  const int tokens_per_block = 4;
  const dim3 block(32, tokens_per_block);
  const int grid = kata::ceil_div(tokens, tokens_per_block);
  gate_kernel<<<grid, block>>>(logits, weight, expert, tokens, experts, k);
}
