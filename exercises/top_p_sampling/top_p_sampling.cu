// top_p_sampling: draw one token from each of `rows` rows of logits, from the most likely ones.
//   l = logits[r]  [vocab]; w[v] = exp(l[v] - largest of l); S = sum of all w
//   nucleus = the shortest prefix whose weight is at least p[r] * S, of the tokens in the order of
//             falling logit, equal ones by index
//   N = weight of the nucleus
//   token[r] = the first v, by index, with: sum of w over nucleus tokens 0..v > uniform[r] * N
//
// token arrives filled with arbitrary integers.
// Given: one block of 256 threads per row. You may change the launch and add kernels.
// Check it: harness/kata check top_p_sampling   or   ctest -R top_p_sampling
#include <kata/kata.h>

__global__ void sample_kernel(const float* logits, const float* p, const float* uniform, int* token,
                              int vocab) {
  // your code
}

extern "C" void top_p_sampling(const float* logits, const float* p, const float* uniform,
                               int* token, int rows, int vocab) {
  const int block = 256;
  sample_kernel<<<rows, block>>>(logits, p, uniform, token, vocab);
}
