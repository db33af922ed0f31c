// A thread per element of the output, each with all the scores of its head; exp of score - logarithm
// of the sum, so that nothing is divided; weights rounded to half, as tensor cores need them.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void paged_kernel(const __half2* q, const __half2* k_cache, const __half* v_cache,
                             const int* page_table, const int* lengths, __half* out, int rows,
                             int heads, int kv_heads, int dim, int page_size, int max_pages) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const size_t row = i / dim;
  if (row >= rows) return;
  const size_t s = row / heads, g = row % heads / (heads / kv_heads);
  const auto place = [&](int key) {
    const size_t page = page_table[s * max_pages + key / page_size];
    return ((page * page_size + key % page_size) * kv_heads + g) * dim;
  };
  const auto score = [&](int key) {
    const __half2* k = k_cache + place(key) / 2;
    float sum = 0.0f;
    for (int c = 0; c < dim / 2; ++c) {
      const float2 x = __half22float2(q[row * (dim / 2) + c]), y = __half22float2(k[c]);
      sum += x.x * y.x + x.y * y.y;
    }
    return sum * rsqrtf(dim);
  };
  const int length = lengths[s];
  float max = -INFINITY, sum = 0.0f;
  for (int key = 0; key < length; ++key) {
    const float one = score(key), new_max = fmaxf(max, one);
    sum = sum * __expf(max - new_max) + __expf(one - new_max);
    max = new_max;
  }
  float o = 0.0f;
  for (int key = 0; key < length; ++key) {
    const __half weight = __float2half(expf(score(key) - max));
    o += __half2float(weight) * __half2float(v_cache[place(key) + i % dim]);
  }
  out[i] = __float2half_rn(o / sum);
}

extern "C" void paged_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                const int* page_table, const int* lengths, __half* out, int batch,
                                int heads, int kv_heads, int dim, int page_size, int max_pages,
                                int pages) {
  (void)pages;
  const int rows = batch * heads;
  paged_kernel<<<(rows * dim + 95) / 96, 96>>>(
      reinterpret_cast<const __half2*>(q), reinterpret_cast<const __half2*>(k_cache), v_cache,
      page_table, lengths, out, rows, heads, kv_heads, dim, page_size, max_pages);
}
