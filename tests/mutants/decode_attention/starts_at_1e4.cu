// Fault: the maximum starts at -1e4, and the only score of a short sequence may be lower.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// A warp for each head; a lane for 4 elements of the output.
__global__ void decode_kernel(const __half* q, const __half* k_cache, const __half* v_cache,
                              const int* lengths, __half* out, int heads, int kv_heads,
                              int max_length, int dim) {
  const int head = blockIdx.x, b = blockIdx.y, lane = threadIdx.x;
  const int kv_head = head / (heads / kv_heads);
  const __half* query = q + ((size_t)b * heads + head) * dim;
  float o[4] = {}, max = -1e4f, sum = 0;
  const float scale = rsqrtf((float)dim);
  for (int key = 0; key < lengths[b]; ++key) {
    const size_t row = (((size_t)b * max_length + key) * kv_heads + kv_head) * dim;
    float score = 0;
    for (int i = lane; i < dim; i += 32)
      score += __half2float(query[i]) * __half2float(k_cache[row + i]);
    for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(0xffffffffu, score, step);
    score *= scale;
    const float higher = fmaxf(max, score);
    const float shrink = expf(max - higher), weight = expf(score - higher);
    sum = sum * shrink + weight;
    for (int j = 0; j < 4; ++j)
      if (lane + 32 * j < dim)
        o[j] = o[j] * shrink + weight * __half2float(v_cache[row + lane + 32 * j]);
    max = higher;
  }
  for (int j = 0; j < 4; ++j)
    if (lane + 32 * j < dim)
      out[((size_t)b * heads + head) * dim + lane + 32 * j] = __float2half(o[j] / sum);
}

extern "C" void decode_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                 const int* lengths, __half* out, int batch, int heads,
                                 int kv_heads, int max_length, int dim) {
  decode_kernel<<<dim3(heads, batch), 32>>>(q, k_cache, v_cache, lengths, out, heads, kv_heads,
                                            max_length, dim);
}
