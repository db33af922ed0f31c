// Sixteen heads share each row: a block copies 32 rows to shared memory for its 8 warps.
//
// This is what latent attention is for: a row serves all heads. A warp has two heads alone, so
// that nothing is merged, and a row that it loads from shared memory once is key and value of both.
// The output is rescaled only where the maximum grows. The rung to reach in 30 minutes.
//
// Prediction: L2 traffic falls to 1 / 16, 2.4 GB, 440 us. Instructions are the limit now: a row and
// two heads take 9 loads, 18 conversions, 68 multiply-adds, 20 shuffles and sums and 20 others of a
// warp, 135 in all: 2450 us of issue slots at 64 x 128 heads x 4096.
// Measured: 3843.1 us at 64x128x4096, 2.0 % of the limit (H200, 2026-11-30)
#include "warp_heads.h"

constexpr int WARPS = 8, THREADS = 32 * WARPS;
constexpr int PER_WARP = 2, HEADS = PER_WARP * WARPS, KEYS = 32;

__global__ void __launch_bounds__(THREADS) mla_kernel(Latents x, __nv_bfloat16* out) {
  __shared__ uint4 rows[KEYS * CELLS];
  const int groups = kata::ceil_div(x.heads, HEADS), sequence = blockIdx.x / groups;
  const int head0 = blockIdx.x % groups * HEADS + threadIdx.x / 32 * PER_WARP;
  const int length = x.lengths[sequence];
  WarpHeads<PER_WARP> own(x.query(sequence, head0), x.heads - head0, x.factor);
  for (int first = 0; first < length; first += KEYS) {
    const int count = min(KEYS, length - first);
    const uint4* from = reinterpret_cast<const uint4*>(x.row(sequence, first));
    for (int i = threadIdx.x; i < count * CELLS; i += THREADS) rows[i] = from[i];
    __syncthreads();
    for (int key = 0; key < count; ++key) {
      own.add(reinterpret_cast<const __nv_bfloat16*>(&rows[key * CELLS]));
    }
    __syncthreads();
  }
  for (int h = 0; h < PER_WARP && head0 + h < x.heads; ++h) {
    const size_t row = static_cast<size_t>(sequence) * x.heads + head0 + h;
    __nv_bfloat162* const to = reinterpret_cast<__nv_bfloat162*>(out + row * LATENT);
    for (int i = 0; i < VALUE_PAIRS; ++i) {
      to[threadIdx.x % 32 + 32 * i] =
          __floats2bfloat162_rn(own.o[h][i].x / own.sum[h], own.o[h][i].y / own.sum[h]);
    }
  }
}

extern "C" void mla_decode(const __nv_bfloat16* q, const __nv_bfloat16* cache, const int* lengths,
                           __nv_bfloat16* out, int batch, int heads, int max_length, float scale) {
  mla_kernel<<<batch * kata::ceil_div(heads, HEADS), THREADS>>>(
      latents(q, cache, lengths, heads, max_length, scale), out);
}
