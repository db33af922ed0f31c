// Masked scores are -1e30 and not -infinity, and a warp per query keeps everything in units of
// log 2. Each row has a visible key, whose score is larger.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void flash_kernel(const __half2* Q, const __half2* K, const __half2* V, __half2* O,
                             int length, int half_dim, int causal) {
  const int row = blockIdx.x % length, lane = threadIdx.x;
  const size_t first_row = blockIdx.x - row;
  const float scale = 1.44269504f * rsqrtf(2 * half_dim);
  float max = -1e30f, sum = 0.0f;
  float2 o[2] = {};
  for (int key = 0; key < length; ++key) {
    float s = 0.0f;
    for (int c = lane; c < half_dim; c += 32) {
      const float2 q = __half22float2(Q[(first_row + row) * half_dim + c]);
      const float2 k = __half22float2(K[(first_row + key) * half_dim + c]);
      s = fmaf(q.x, k.x, fmaf(q.y, k.y, s));
    }
    for (int x = 1; x < 32; x *= 2) s += __shfl_xor_sync(~0u, s, x);
    s = causal && key > row ? -1e30f : scale * s;
    const float new_max = fmaxf(max, s);
    const float rescale = exp2f(max - new_max);
    const float weight = causal && key > row ? 0.0f : exp2f(s - new_max);
    sum = sum * rescale + weight;
    for (int c = lane, i = 0; c < half_dim; c += 32, ++i) {
      const float2 v = __half22float2(V[(first_row + key) * half_dim + c]);
      o[i].x = o[i].x * rescale + weight * v.x;
      o[i].y = o[i].y * rescale + weight * v.y;
    }
    max = new_max;
  }
  for (int c = lane, i = 0; c < half_dim; c += 32, ++i) {
    O[(first_row + row) * half_dim + c] = __floats2half2_rn(o[i].x / sum, o[i].y / sum);
  }
}

extern "C" void flash_attention(const __half* Q, const __half* K, const __half* V, __half* O,
                                int batch, int heads, int length, int dim, int causal) {
  flash_kernel<<<batch * heads * length, 32>>>(
      reinterpret_cast<const __half2*>(Q), reinterpret_cast<const __half2*>(K),
      reinterpret_cast<const __half2*>(V), reinterpret_cast<__half2*>(O), length, dim / 2, causal);
}
