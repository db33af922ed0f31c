// decode_attention: one new token per sequence attends to that sequence's cache of keys and values.
// q and out are [batch, heads, dim], the caches [batch, max_length, kv_heads, dim], all row-major.
//   score[key] = q[b][h] . k_cache[b][key][g] / sqrt(dim), for key < lengths[b]
//   out[b][h]  = sum over key of softmax(score)[key] * v_cache[b][key][g], g = h / (heads / kv_heads)
//
// kv_heads divides heads; dim is 64 or 128; lengths[b] is 1 to max_length, in device memory. The
// caches may hold NaN from lengths[b] on. out arrives filled with NaN.
// Given: one block per sequence and head. You may change the launch and add kernels and helpers.
// Check it: harness/kata check decode_attention   or   ctest -R decode_attention
#include <kata/kata.h>

#include <cuda_fp16.h>

__global__ void decode_kernel(const __half* q, const __half* k_cache, const __half* v_cache,
                              const int* lengths, __half* out, int heads, int kv_heads,
                              int max_length, int dim) {
  // your code
}

extern "C" void decode_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                 const int* lengths, __half* out, int batch, int heads,
                                 int kv_heads, int max_length, int dim) {
  const int block = 128;
  decode_kernel<<<batch * heads, block>>>(q, k_cache, v_cache, lengths, out, heads, kv_heads,
                                          max_length, dim);
}
