// flash_attention_backward: the gradients dQ, dK and dV of attention, in half, from Q, K, V, the
// output O of the forward pass, the gradient dO by it, and lse, the natural logarithm of the sum of
// exp(score) over the keys that a query sees. All are [batch, heads, length, dim], row-major; lse is
// [batch, heads, length].
//
// dim is 64 or 128; length is 1 to 65535 and need not be a multiple of anything. Accumulate in
// float. dQ, dK and dV arrive filled with NaN. Given: a warp per row of each head, which is a query
// and a key. You may change the launch and add helpers. Check it: harness/kata check
// flash_attention_backward   or   ctest -R flash_attention_backward
#include <kata/kata.h>

#include <cuda_fp16.h>

__global__ void gradient_kernel(const __half* Q, const __half* K, const __half* V, const __half* O,
                                const __half* dO, const float* lse, __half* dQ, __half* dK,
                                __half* dV, int length, int dim, int causal) {
  // your code
}

extern "C" void flash_attention_backward(const __half* Q, const __half* K, const __half* V,
                                         const __half* O, const __half* dO, const float* lse,
                                         __half* dQ, __half* dK, __half* dV, int batch, int heads,
                                         int length, int dim, int causal) {
  gradient_kernel<<<dim3(length, batch * heads), 32>>>(Q, K, V, O, dO, lse, dQ, dK, dV, length, dim,
                                                       causal);
}
