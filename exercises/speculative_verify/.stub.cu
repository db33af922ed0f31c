// speculative_verify: a draft model has proposed `drafts` tokens for each of `batch` sequences. Find
// how many of them are kept, and the token that follows.
//   p = draft_probs[s]  [drafts, vocab], q = target_probs[s]  [drafts + 1, vocab], u = uniform[s]
//   draft i with token t is accepted if u[i] * p[i][t] < q[i][t]
//   accepted[s] = n = number of drafts before the first one that is not accepted
//   w[v] = max(q[n][v] - p[n][v], 0) if n < drafts, else q[drafts][v]
//   token[s] = the first v with w[0] + ... + w[v] > u[drafts] * (sum of all w)
//
// Both outputs arrive filled with arbitrary integers.
// Given: one block of 256 threads per sequence. You may change the launch and add kernels.
// Check it: harness/kata check speculative_verify   or   ctest -R speculative_verify
#include <kata/kata.h>

__global__ void verify_kernel(const int* draft_tokens, const float* draft_probs,
                              const float* target_probs, const float* uniform, int* accepted,
                              int* token, int drafts, int vocab) {
  // your code
}

extern "C" void speculative_verify(const int* draft_tokens, const float* draft_probs,
                                   const float* target_probs, const float* uniform, int* accepted,
                                   int* token, int batch, int drafts, int vocab) {
  const int block = 256;
  verify_kernel<<<batch, block>>>(draft_tokens, draft_probs, target_probs, uniform, accepted, token,
                                  drafts, vocab);
}
