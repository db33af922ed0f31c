// One block per sequence and head; each of its warps takes every fourth row.
//
// A lane has 18 elements of the query in registers and loads as many of the row. The same registers
// are key and value: what it loaded for the score it multiplies by the weight. Each warp keeps a
// maximum, a sum and an output by the online rule, and the block merges them.
//
// Prediction: each head reads the whole cache of its sequence, 128 times in all: 38.7 GB, mostly
// from L2, at about 5.5 TB/s: 7000 us at 64 x 128 heads x 4096. The limit is 74.
// Measured: 7793.5 us at 64x128x4096, 1.0 % of the limit (H200, 2026-11-30)
#include "warp_heads.h"

constexpr int WARPS = 4;

__global__ void __launch_bounds__(32 * WARPS) mla_kernel(Latents x, __nv_bfloat16* out) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int sequence = blockIdx.x / x.heads, head = blockIdx.x % x.heads;
  const int length = x.lengths[sequence];
  WarpHeads<1> own(x.query(sequence, head), 1, x.factor);
  for (int key = warp; key < length; key += WARPS) own.add(x.row(sequence, key));

  __shared__ float maxima[WARPS], sums[WARPS];
  __shared__ float2 outputs[WARPS][LATENT / 2];
  if (lane == 0) {
    maxima[warp] = own.max[0];  // -infinity for a warp without rows; the first warp always has one
    sums[warp] = own.sum[0];
  }
  for (int i = 0; i < VALUE_PAIRS; ++i) outputs[warp][lane + 32 * i] = own.o[0][i];
  __syncthreads();
  float max = maxima[0], sum = 0.0f;
  for (int w = 1; w < WARPS; ++w) max = fmaxf(max, maxima[w]);
  for (int w = 0; w < WARPS; ++w) sum += exp2f(maxima[w] - max) * sums[w];
  __nv_bfloat162* const to =
      reinterpret_cast<__nv_bfloat162*>(out + static_cast<size_t>(blockIdx.x) * LATENT);
  for (int i = threadIdx.x; i < LATENT / 2; i += 32 * WARPS) {
    float2 o = {};
    for (int w = 0; w < WARPS; ++w) {
      const float weight = exp2f(maxima[w] - max);
      o.x += weight * outputs[w][i].x;
      o.y += weight * outputs[w][i].y;
    }
    to[i] = __floats2bfloat162_rn(o.x / sum, o.y / sum);
  }
}

extern "C" void mla_decode(const __nv_bfloat16* q, const __nv_bfloat16* cache, const int* lengths,
                           __nv_bfloat16* out, int batch, int heads, int max_length, float scale) {
  mla_kernel<<<batch * heads, 32 * WARPS>>>(
      latents(q, cache, lengths, heads, max_length, scale), out);
}
