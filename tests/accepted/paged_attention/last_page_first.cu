// From the last key to the first, with the page's number kept until the next page begins; units of
// log 2, and a reciprocal at the end.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void paged_kernel(const __half* q, const __half* k_cache, const __half* v_cache,
                             const int* page_table, const int* lengths, __half* out, int heads,
                             int kv_heads, int dim, int page_size, int max_pages) {
  __shared__ float warp_sums[4];
  const size_t row = blockIdx.x;
  const size_t s = row / heads, g = row % heads / (heads / kv_heads);
  const int c = threadIdx.x, lane = c % 32;
  const float query = __half2float(q[row * dim + c]) * rsqrtf(dim) * 1.44269504f;
  float max = -1e30f, sum = 0.0f, o = 0.0f;
  size_t page = 0;
  for (int key = lengths[s] - 1, slot = -1; key >= 0; --key, --slot) {
    if (slot < 0) {
      slot = key % page_size;
      page = static_cast<size_t>(page_table[s * max_pages + key / page_size]) * page_size;
    }
    const size_t at = ((page + slot) * kv_heads + g) * dim + c;
    float score = query * __half2float(k_cache[at]);
    for (int x = 1; x < 32; x *= 2) score += __shfl_xor_sync(~0u, score, x);
    if (lane == 0) warp_sums[c / 32] = score;
    __syncthreads();
    score = 0.0f;
    for (int w = 0; w < dim / 32; ++w) score += warp_sums[w];
    __syncthreads();
    if (score > max) {
      const float rescale = exp2f(max - score);
      max = score;
      sum *= rescale;
      o *= rescale;
    }
    const float weight = exp2f(score - max);
    sum += weight;
    o += weight * __half2float(v_cache[at]);
  }
  out[row * dim + c] = __float2half(__frcp_rn(sum) * o);
}

extern "C" void paged_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                const int* page_table, const int* lengths, __half* out, int batch,
                                int heads, int kv_heads, int dim, int page_size, int max_pages,
                                int pages) {
  (void)pages;
  paged_kernel<<<batch * heads, dim>>>(q, k_cache, v_cache, page_table, lengths, out, heads,
                                       kv_heads, dim, page_size, max_pages);
}
