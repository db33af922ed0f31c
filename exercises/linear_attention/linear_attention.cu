// linear_attention: O_i = scale sum over j <= i of decay^(i - j) (q_i . k_j) v_j for each head, in
// half, with scale = 1 / sqrt(dim). Q, K, V and O are [batch, heads, length, dim], row-major; decay
// is [heads].
//
// dim is 64 or 128; length is 1 to 65536 and need not be a multiple of anything. Accumulate in
// float, and keep a state in float. O arrives filled with NaN. Given: one block per head, a thread
// per column of V. You may change the launch and add helpers. Check it: harness/kata check
// linear_attention   or   ctest -R linear_attention
#include <kata/kata.h>

#include <cuda_fp16.h>

__global__ void linear_kernel(const __half* Q, const __half* K, const __half* V, const float* decay,
                              __half* O, int heads, int length, int dim) {
  // your code
}

extern "C" void linear_attention(const __half* Q, const __half* K, const __half* V,
                                 const float* decay, __half* O, int batch, int heads, int length,
                                 int dim) {
  linear_kernel<<<batch * heads, dim>>>(Q, K, V, decay, O, heads, length, dim);
}
