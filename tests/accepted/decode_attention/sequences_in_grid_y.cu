// Sequences are mapped to gridDim.y: there are at most 128.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void decode_kernel(const __half* q, const __half* k_cache, const __half* v_cache,
                              const int* lengths, __half* out, int heads, int kv_heads,
                              int max_length, int dim) {
  const size_t row = static_cast<size_t>(blockIdx.y) * heads + blockIdx.x;
  const int b = row / heads, h = row % heads, lane = threadIdx.x;
  const int g = h / (heads / kv_heads);
  const int length = lengths[b];
  float max = -INFINITY, sum = 0.0f, o[4] = {};
  for (int key = 0; key < length; ++key) {
    const size_t at = ((static_cast<size_t>(b) * max_length + key) * kv_heads + g) * dim;
    float s = 0.0f;
    for (int c = lane; c < dim; c += 32) {
      s += __half2float(q[row * dim + c]) * __half2float(k_cache[at + c]);
    }
    for (int x = 16; x > 0; x /= 2) s += __shfl_xor_sync(~0u, s, x);
    s *= rsqrtf(dim);
    const float new_max = fmaxf(max, s);
    const float rescale = __expf(max - new_max), weight = __expf(s - new_max);
    sum = sum * rescale + weight;
    for (int c = lane, i = 0; c < dim; c += 32, ++i) {
      o[i] = o[i] * rescale + weight * __half2float(v_cache[at + c]);
    }
    max = new_max;
  }
  for (int c = lane, i = 0; c < dim; c += 32, ++i) out[row * dim + c] = __float2half(o[i] / sum);
}

extern "C" void decode_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                 const int* lengths, __half* out, int batch, int heads,
                                 int kv_heads, int max_length, int dim) {
  decode_kernel<<<dim3(heads, batch), 32>>>(q, k_cache, v_cache, lengths, out, heads, kv_heads,
                                       max_length, dim);
}
