// A warp per sequence and head, one row after the other. faults.toml plants mistakes in it.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

constexpr int ROW = 576, LATENT = 512;

__global__ void mla_kernel(const __nv_bfloat16* q, const __nv_bfloat16* cache, const int* lengths,
                           __nv_bfloat16* out, int heads, int max_length, float scale) {
  const int s = blockIdx.y, lane = threadIdx.x;
  const size_t head = static_cast<size_t>(s) * heads + blockIdx.x;
  const int length = lengths[s];
  float max = -INFINITY, sum = 0.0f, o[LATENT / 32] = {};
  for (int key = 0; key < length; ++key) {
    const size_t at = (static_cast<size_t>(s) * max_length + key) * ROW;
    float score = 0.0f;
    for (int c = lane; c < ROW; c += 32) {
      score += __bfloat162float(q[head * ROW + c]) * __bfloat162float(cache[at + c]);
    }
    for (int x = 16; x > 0; x /= 2) score += __shfl_xor_sync(~0u, score, x);
    score *= scale;
    const float new_max = fmaxf(max, score);
    const float rescale = __expf(max - new_max), weight = __expf(score - new_max);
    sum = sum * rescale + weight;
    for (int i = 0; i < LATENT / 32; ++i) {
      o[i] = o[i] * rescale + weight * __bfloat162float(cache[at + lane + 32 * i]);
    }
    max = new_max;
  }
  for (int i = 0; i < LATENT / 32; ++i) {
    out[head * LATENT + lane + 32 * i] = __float2bfloat16(o[i] / sum);
  }
}

extern "C" void mla_decode(const __nv_bfloat16* q, const __nv_bfloat16* cache, const int* lengths,
                           __nv_bfloat16* out, int batch, int heads, int max_length, float scale) {
  mla_kernel<<<dim3(heads, batch), 32>>>(q, cache, lengths, out, heads, max_length, scale);
}
