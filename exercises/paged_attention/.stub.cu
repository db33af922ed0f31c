// paged_attention: one new token per sequence attends to that sequence's keys and values, which are
// in pages. q and out are [batch, heads, dim], the caches [pages, page_size, kv_heads, dim],
// page_table [batch, max_pages], all row-major. Key j of sequence s is in slot j % page_size of page
// page_table[s][j / page_size].
//   score[j]  = q[s][h] . key j of kv head g / sqrt(dim), for j < lengths[s]
//   out[s][h] = sum over j of softmax(score)[j] * value j of kv head g, g = h / (heads / kv_heads)
//
// kv_heads divides heads; dim is 64 or 128; page_size is 16 or 64; lengths[s] is 1 to max_pages *
// page_size, in device memory. Slots past the end of a sequence may hold NaN, and table entries past
// its last page anything. out arrives filled with NaN.
// Given: one block per sequence and head. You may change the launch and add kernels and helpers.
// Check it: harness/kata check paged_attention   or   ctest -R paged_attention
#include <kata/kata.h>

#include <cuda_fp16.h>

__global__ void paged_kernel(const __half* q, const __half* k_cache, const __half* v_cache,
                             const int* page_table, const int* lengths, __half* out, int heads,
                             int kv_heads, int dim, int page_size, int max_pages) {
  // your code
}

extern "C" void paged_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                const int* page_table, const int* lengths, __half* out, int batch,
                                int heads, int kv_heads, int dim, int page_size, int max_pages,
                                int pages) {
  const int block = 128;
  paged_kernel<<<batch * heads, block>>>(q, k_cache, v_cache, page_table, lengths, out, heads,
                                         kv_heads, dim, page_size, max_pages);
}
