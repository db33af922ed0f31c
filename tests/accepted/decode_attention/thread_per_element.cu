// A thread per element of the output, each with all the scores of its head; exp of score - logarithm
// of the sum, so that nothing is divided.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void decode_kernel(const __half2* q, const __half2* k_cache, const __half* v_cache,
                              const int* lengths, __half* out, int rows, int heads, int kv_heads,
                              int max_length, int dim) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const size_t row = i / dim;
  if (row >= rows) return;
  const size_t b = row / heads, g = row % heads / (heads / kv_heads);
  const auto score = [&](size_t key) {
    const __half2* k = k_cache + ((b * max_length + key) * kv_heads + g) * (dim / 2);
    float s = 0.0f;
    for (int c = 0; c < dim / 2; ++c) {
      const float2 x = __half22float2(q[row * (dim / 2) + c]), y = __half22float2(k[c]);
      s += x.x * y.x + x.y * y.y;
    }
    return s * rsqrtf(dim);
  };
  const int length = lengths[b];
  float max = -INFINITY, sum = 0.0f;
  for (int key = 0; key < length; ++key) {
    const float s = score(key), new_max = fmaxf(max, s);
    sum = sum * __expf(max - new_max) + __expf(s - new_max);
    max = new_max;
  }
  const float logarithm = max + logf(sum);
  float o = 0.0f;
  for (int key = 0; key < length; ++key) {
    o += expf(score(key) - logarithm) *
         __half2float(v_cache[((b * max_length + key) * kv_heads + g) * dim + i % dim]);
  }
  out[i] = __float2half_rn(o);
}

extern "C" void decode_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                 const int* lengths, __half* out, int batch, int heads,
                                 int kv_heads, int max_length, int dim) {
  const int rows = batch * heads;
  decode_kernel<<<(rows * dim + 95) / 96, 96>>>(reinterpret_cast<const __half2*>(q),
                                                reinterpret_cast<const __half2*>(k_cache), v_cache,
                                                lengths, out, rows, heads, kv_heads, max_length,
                                                dim);
}
