#pragma once
// The KV cache in pages as kernels see it. It finds keys for the loops of decode_attention, which
// are the same for any cache (../decode_attention/vector_keys.h and tensor_rows.h).

#include "../decode_attention/cache.h"

struct PagedCache {
  const __half *k, *v;    // [pages, page_size, kv_heads, dim]
  const int* page_table;  // [batch, max_pages]
  const int* lengths;
  int heads, kv_heads, page_bits, max_pages;  // page_size is 1 << page_bits
  float scale;                                // of the scores

  __host__ __device__ int group() const { return heads / kv_heads; }

  // The first element of a key, or of a value, in that page. The caches may have more than 2^31
  // elements.
  __device__ size_t in_page(int page, int key, int kv_head, int dim) const {
    const size_t slot = static_cast<size_t>(page) << page_bits | (key & ((1 << page_bits) - 1));
    return (slot * kv_heads + kv_head) * dim;
  }

  // The same by the page table. The entry of a key past the end may hold anything, or may not exist:
  // it is not read, and what is returned must not be used.
  __device__ size_t at(int sequence, int key, int kv_head, int dim) const {
    if (key >= lengths[sequence]) return 0;
    const size_t entry = static_cast<size_t>(sequence) * max_pages + (key >> page_bits);
    return in_page(page_table[entry], key, kv_head, dim);
  }
};

inline PagedCache paged_cache(const __half* k, const __half* v, const int* page_table,
                              const int* lengths, int heads, int kv_heads, int dim, int page_size,
                              int max_pages) {
  const int page_bits = page_size == 16 ? 4 : 6;
  return {k,        v,         page_table, lengths, heads,
          kv_heads, page_bits, max_pages,  1.0f / sqrtf(dim)};
}
