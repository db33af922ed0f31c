// One block per sequence and head; each of its warps takes every fourth key.
//
// A warp reads a key, adds up the product by shuffles, and applies the online softmax: maximum, sum
// and output are kept per warp and merged at the end. Keys past lengths[b] are never read.
//
// Prediction: a warp reads 256 bytes and then waits for them, twice per key, about 1.2 us. 2048
// blocks of 4 warps at 64 x 32 heads, 64 warps on each of 132 SMs: 8448 / 1.2 us x 512 bytes = 3.6
// TB/s. The four heads of a group read the same cache, 8.6 GB: 2.4 ms.
// Measured: 2790.7 us at 64x32x8x8192x128, 16 % of the limit (H200, 2026-11-30)
#include "cache.h"

constexpr int WARPS = 4;

template <int DIM>
__global__ void __launch_bounds__(32 * WARPS)
    decode_kernel(const __half* q, Cache cache, __half* out) {
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

extern "C" void decode_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                 const int* lengths, __half* out, int batch, int heads,
                                 int kv_heads, int max_length, int dim) {
  const Cache cache = {k_cache,  v_cache,    lengths,     heads,
                       kv_heads, max_length, 1.0f / sqrtf(dim)};
  const auto kernel = dim == 64 ? decode_kernel<64> : decode_kernel<128>;
  kernel<<<batch * heads, 32 * WARPS>>>(q, cache, out);
}
