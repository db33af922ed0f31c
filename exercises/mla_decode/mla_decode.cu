// mla_decode: one new token per sequence attends to that sequence's rows of a latent cache (MLA, as
// in DeepSeek-V2). q is [batch, heads, 576], cache [batch, max_length, 576], out [batch, heads, 512],
// all row-major. All heads share the rows; the value is the first 512 elements of the key.
//   score[j]  = scale * q[s][h] . cache[s][j], over 576 elements, for j < lengths[s]
//   out[s][h] = sum over j of softmax(score)[j] * cache[s][j][0 to 511]
//
// heads is at most 128; lengths[s] is 1 to max_length, in device memory. Rows from lengths[s] on may
// hold NaN. Accumulate in float; out is rounded to bf16 once and arrives filled with NaN.
// Given: one block per sequence and head. You may change the launch and add kernels and helpers.
// Check it: harness/kata check mla_decode   or   ctest -R mla_decode
#include <kata/kata.h>

#include <cuda_bf16.h>

__global__ void mla_kernel(const __nv_bfloat16* q, const __nv_bfloat16* cache, const int* lengths,
                           __nv_bfloat16* out, int heads, int max_length, float scale) {
  // your code
}

extern "C" void mla_decode(const __nv_bfloat16* q, const __nv_bfloat16* cache, const int* lengths,
                           __nv_bfloat16* out, int batch, int heads, int max_length, float scale) {
  const int block = 128;
  mla_kernel<<<batch * heads, block>>>(q, cache, lengths, out, heads, max_length, scale);
}
