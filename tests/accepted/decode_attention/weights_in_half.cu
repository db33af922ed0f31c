// All scores first, in device memory; weights rounded to half, as tensor cores need them; a block per
// sequence loops over its heads.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void decode_kernel(const __half* q, const __half* k_cache, const __half* v_cache,
                              const int* lengths, float* scores, __half* out, int heads,
                              int kv_heads, int max_length, int dim) {
  const size_t b = blockIdx.x;
  float* s = scores + b * max_length;
  for (int h = 0; h < heads; ++h) {
    const __half* query = q + (b * heads + h) * dim;
    const size_t first = (b * max_length * kv_heads + h / (heads / kv_heads)) * dim;
    const size_t stride = static_cast<size_t>(kv_heads) * dim;
    for (int key = threadIdx.x; key < lengths[b]; key += blockDim.x) {
      float product = 0.0f;
      for (int c = 0; c < dim; ++c) {
        product += __half2float(query[c]) * __half2float(k_cache[first + key * stride + c]);
      }
      s[key] = product / sqrtf(dim);
    }
    __syncthreads();
    float max = s[0];
    for (int key = 1; key < lengths[b]; ++key) max = fmaxf(max, s[key]);
    for (int c = threadIdx.x; c < dim; c += blockDim.x) {
      float sum = 0.0f, o = 0.0f;
      for (int key = 0; key < lengths[b]; ++key) {
        const float weight = expf(s[key] - max);
        sum += weight;
        o += __half2float(__float2half(weight)) * __half2float(v_cache[first + key * stride + c]);
      }
      out[(b * heads + h) * dim + c] = __float2half(o / sum);
    }
    __syncthreads();
  }
}

extern "C" void decode_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                 const int* lengths, __half* out, int batch, int heads,
                                 int kv_heads, int max_length, int dim) {
  float* scores;
  cudaMalloc(&scores, sizeof(float) * batch * max_length);
  decode_kernel<<<batch, 64>>>(q, k_cache, v_cache, lengths, scores, out, heads, kv_heads,
                               max_length, dim);
  cudaFree(scores);
}
