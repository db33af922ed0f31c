// From the last row to the first, a thread for three elements of the row; units of log 2, a finite
// start of the maximum, and a reciprocal at the end.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

constexpr int ROW = 576, LATENT = 512, THREADS = 192;

__global__ void mla_kernel(const __nv_bfloat16* q, const __nv_bfloat16* cache, const int* lengths,
                           __nv_bfloat16* out, int heads, int max_length, float scale) {
  __shared__ float warp_sums[THREADS / 32];
  const int tid = threadIdx.x;
  const size_t head = blockIdx.x, s = head / heads;
  float query[3], o[3] = {}, max = -1e30f, sum = 0.0f;
  for (int i = 0; i < 3; ++i) query[i] = __bfloat162float(q[head * ROW + tid + i * THREADS]);
  const float factor = scale * 1.44269504f;
  for (int key = lengths[s] - 1; key >= 0; --key) {
    const __nv_bfloat16* row = cache + (s * max_length + key) * ROW + tid;
    float x[3], score = 0.0f;
    for (int i = 0; i < 3; ++i) score += query[i] * (x[i] = __bfloat162float(row[i * THREADS]));
    for (int d = 1; d < 32; d *= 2) score += __shfl_xor_sync(~0u, score, d);
    if (tid % 32 == 0) warp_sums[tid / 32] = score;
    __syncthreads();
    score = 0.0f;
    for (int w = 0; w < THREADS / 32; ++w) score += warp_sums[w];
    score *= factor;
    __syncthreads();
    if (score > max) {
      const float rescale = exp2f(max - score);
      max = score;
      sum *= rescale;
      for (int i = 0; i < 3; ++i) o[i] *= rescale;
    }
    const float weight = exp2f(score - max);
    sum += weight;
    for (int i = 0; i < 3; ++i) o[i] += weight * x[i];
  }
  for (int i = 0; i < 3 && tid + i * THREADS < LATENT; ++i) {
    out[head * LATENT + tid + i * THREADS] = __float2bfloat16(__frcp_rn(sum) * o[i]);
  }
}

extern "C" void mla_decode(const __nv_bfloat16* q, const __nv_bfloat16* cache, const int* lengths,
                           __nv_bfloat16* out, int batch, int heads, int max_length, float scale) {
  mla_kernel<<<batch * heads, THREADS>>>(q, cache, lengths, out, heads, max_length, scale);
}
