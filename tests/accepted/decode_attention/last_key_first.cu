// From the last key to the first, in units of log 2, with a reciprocal at the end.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void decode_kernel(const __half* q, const __half* k_cache, const __half* v_cache,
                              const int* lengths, __half* out, int heads, int kv_heads,
                              int max_length, int dim) {
  __shared__ float warp_sums[4];
  const size_t row = blockIdx.x;
  const size_t b = row / heads, g = row % heads / (heads / kv_heads);
  const int c = threadIdx.x, lane = c % 32;
  const float query = __half2float(q[row * dim + c]) * rsqrtf(dim) * 1.44269504f;
  float max = -1e30f, sum = 0.0f, o = 0.0f;
  for (int key = lengths[b] - 1; key >= 0; --key) {
    const size_t at = ((b * max_length + key) * kv_heads + g) * dim + c;
    float s = query * __half2float(k_cache[at]);
    for (int x = 1; x < 32; x *= 2) s += __shfl_xor_sync(~0u, s, x);
    if (lane == 0) warp_sums[c / 32] = s;
    __syncthreads();
    s = 0.0f;
    for (int w = 0; w < dim / 32; ++w) s += warp_sums[w];
    __syncthreads();
    if (s > max) {
      const float rescale = exp2f(max - s);
      max = s;
      sum *= rescale;
      o *= rescale;
    }
    const float weight = exp2f(s - max);
    sum += weight;
    o += weight * __half2float(v_cache[at]);
  }
  out[row * dim + c] = __float2half(__frcp_rn(sum) * o);
}

extern "C" void decode_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                 const int* lengths, __half* out, int batch, int heads,
                                 int kv_heads, int max_length, int dim) {
  decode_kernel<<<batch * heads, dim>>>(q, k_cache, v_cache, lengths, out, heads, kv_heads,
                                        max_length, dim);
}
