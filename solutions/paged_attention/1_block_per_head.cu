// One block per sequence and head; each of its warps takes every fourth key.
//
// The place of a key needs the number of its page first: one more load, which the loads of the key
// and of the value wait for. Each warp keeps maximum, sum and output by the online rule, and the
// block merges them. Neither keys past lengths[s] nor their table entries are ever read.
//
// Prediction: a warp has one key at a time and waits three times for it, 0.2 us for the table's
// entry and 0.6 us each for key and value. 8 x 32 heads x 8192 keys by 1024 warps are 2048 keys
// each: 2000 us, where reading the cache once takes 62.
// Measured: 1871.1 us at 8x32x8x128x16x512x4096, 3.4 % of the limit (H200, 2026-11-30)
#include "pages.h"

constexpr int WARPS = 4;

template <int DIM>
__global__ void __launch_bounds__(32 * WARPS)
    paged_kernel(const __half* q, PagedCache cache, __half* out) {
  constexpr int PER_LANE = DIM / 32;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int sequence = blockIdx.x / cache.heads, head = blockIdx.x % cache.heads;
  const int length = cache.lengths[sequence];
  const size_t row = static_cast<size_t>(blockIdx.x) * DIM;

  float query[PER_LANE], o[PER_LANE] = {};
  for (int i = 0; i < PER_LANE; ++i) query[i] = cache.scale * __half2float(q[row + lane + 32 * i]);
  float max = -CUDART_INF_F, sum = 0.0f;
  for (int key = warp; key < length; key += WARPS) {
    const size_t at = cache.at(sequence, key, head / cache.group(), DIM) + lane;
    float score = 0.0f;
    for (int i = 0; i < PER_LANE; ++i) score += query[i] * __half2float(cache.k[at + 32 * i]);
    score = warp_sum_all(score);
    const float new_max = fmaxf(max, score);
    const float rescale = __expf(max - new_max), weight = __expf(score - new_max);
    max = new_max;
    sum = sum * rescale + weight;
    for (int i = 0; i < PER_LANE; ++i) {
      o[i] = o[i] * rescale + weight * __half2float(cache.v[at + 32 * i]);
    }
  }

  __shared__ float maxima[WARPS], sums[WARPS], outputs[WARPS][DIM];
  if (lane == 0) {
    maxima[warp] = max;  // -infinity for a warp without keys; the first warp always has one
    sums[warp] = sum;
  }
  for (int i = 0; i < PER_LANE; ++i) outputs[warp][lane + 32 * i] = o[i];
  __syncthreads();
  if (threadIdx.x >= DIM) return;
  for (int w = 0; w < WARPS; ++w) max = fmaxf(max, maxima[w]);
  float total = 0.0f, result = 0.0f;
  for (int w = 0; w < WARPS; ++w) {
    const float weight = __expf(maxima[w] - max);
    total += weight * sums[w];
    result += weight * outputs[w][threadIdx.x];
  }
  out[row + threadIdx.x] = __float2half(result / total);
}

extern "C" void paged_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                const int* page_table, const int* lengths, __half* out, int batch,
                                int heads, int kv_heads, int dim, int page_size, int max_pages,
                                int pages) {
  (void)pages;
  const PagedCache cache = paged_cache(k_cache, v_cache, page_table, lengths, heads, kv_heads, dim,
                                       page_size, max_pages);
  const auto kernel = dim == 64 ? paged_kernel<64> : paged_kernel<128>;
  kernel<<<batch * heads, 32 * WARPS>>>(q, cache, out);
}
