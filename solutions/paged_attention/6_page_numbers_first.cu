// A block copies the page numbers of its part to shared memory before it loads the first key.
//
// A part has at most 256 pages, 1 KB of numbers, which are loaded together. After that a key's place
// is one read of shared memory, and no load of a key waits for another load from global memory.
// Entries past the end of the sequence are not copied.
//
// Prediction: one wait for the table per block instead of one per 16 keys and warp. What remains is
// the time of the contiguous cache, 77 us for the same kernel at 8 x 32 heads x 8192, and 1 us for
// the numbers: 80 us, which leaves paging at under 5 %. Missed: only 1 us is won. The contiguous
// cache's 77 us are those of its later rungs; this kernel takes 98 us, the merge 18.
// Measured: 118.3 us at 8x32x8x128x16x512x4096, 53 % of the limit (H200, 2026-11-30)
#include "../decode_attention/tensor_rows.h"
#include "page_parts.h"

// A PagedCache whose page numbers from `first` on are in shared memory.
struct NumberedPages {
  const __half *k, *v;
  float scale;
  const PagedCache& cache;
  const int* numbers;
  int first, end;  // page of the first number; key after the last

  __device__ size_t at(int, int key, int kv_head, int dim) const {
    if (key >= end) return 0;
    return cache.in_page(numbers[(key >> cache.page_bits) - first], key, kv_head, dim);
  }
};

template <int DIM>
__global__ void __launch_bounds__(THREADS, 2)
    part_kernel(const __half* q, PagedCache cache, Parts parts) {
  __shared__ Merged<DIM> merged;
  __shared__ int numbers[MOST_PART_PAGES];
  const Share share(cache, parts, ROWS);
  const int first = share.begin >> cache.page_bits;
  const int* row = cache.page_table + static_cast<size_t>(share.sequence) * cache.max_pages;
  for (int p = threadIdx.x; (first + p) << cache.page_bits < share.end; p += THREADS) {
    numbers[p] = row[first + p];
  }
  __syncthreads();

  const NumberedPages pages = {cache.k, cache.v, cache.scale, cache, numbers, first, share.end};
  TensorRows<DIM, NumberedPages> tensor_rows(q + share.row * DIM, share.count, pages);
  const Rows<DIM> rows =
      tensor_rows.attend(share.sequence, share.kv_head, share.begin, share.end);
  merge_warps(merged, rows, share.count,
              [&](int head, int element, float max, float sum, float o) {
                store_part<DIM>(parts, share, head, element, max, sum, o);
              });
}

extern "C" void paged_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                const int* page_table, const int* lengths, __half* out, int batch,
                                int heads, int kv_heads, int dim, int page_size, int max_pages,
                                int pages) {
  (void)pages;
  const PagedCache cache = paged_cache(k_cache, v_cache, page_table, lengths, heads, kv_heads, dim,
                                       page_size, max_pages);
  const int blocks = batch * kv_heads * kata::ceil_div(cache.group(), ROWS);
  const Parts parts = make_page_parts(batch * heads, blocks, cache, dim);
  const auto kernel = dim == 64 ? part_kernel<64> : part_kernel<128>;
  kernel<<<blocks * parts.count, THREADS>>>(q, cache, parts);
  merge_parts(parts, out, batch * heads, dim);
}
