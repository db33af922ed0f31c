// A warp per sequence and head, one key after the other. faults.toml plants mistakes in it.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void paged_kernel(const __half* q, const __half* k_cache, const __half* v_cache,
                             const int* page_table, const int* lengths, __half* out, int heads,
                             int kv_heads, int dim, int page_size, int max_pages) {
  const size_t row = static_cast<size_t>(blockIdx.y) * heads + blockIdx.x;
  const int s = blockIdx.y, h = blockIdx.x, lane = threadIdx.x;
  const int g = h / (heads / kv_heads);
  const int length = lengths[s];
  float max = -INFINITY, sum = 0.0f, o[4] = {};
  for (int key = 0; key < length; ++key) {
    const int page = page_table[s * max_pages + key / page_size];
    const size_t slot = static_cast<size_t>(page) * page_size + key % page_size;
    const size_t at = (slot * kv_heads + g) * dim;
    float score = 0.0f;
    for (int c = lane; c < dim; c += 32) {
      score += __half2float(q[row * dim + c]) * __half2float(k_cache[at + c]);
    }
    for (int x = 16; x > 0; x /= 2) score += __shfl_xor_sync(~0u, score, x);
    score *= rsqrtf(dim);
    const float new_max = fmaxf(max, score);
    const float rescale = __expf(max - new_max), weight = __expf(score - new_max);
    sum = sum * rescale + weight;
    for (int c = lane, i = 0; c < dim; c += 32, ++i) {
      o[i] = o[i] * rescale + weight * __half2float(v_cache[at + c]);
    }
    max = new_max;
  }
  for (int c = lane, i = 0; c < dim; c += 32, ++i) out[row * dim + c] = __float2half(o[i] / sum);
}

extern "C" void paged_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                const int* page_table, const int* lengths, __half* out, int batch,
                                int heads, int kv_heads, int dim, int page_size, int max_pages,
                                int pages) {
  (void)pages;
  paged_kernel<<<dim3(heads, batch), 32>>>(q, k_cache, v_cache, page_table, lengths, out, heads,
                                           kv_heads, dim, page_size, max_pages);
}
