// The keys and values of each sequence and kv head are copied to a buffer without pages, and a block
// per head then works as on a contiguous cache; sequences take their turns, so that the buffer is
// small.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void gather(const __half* k_cache, const __half* v_cache, const int* table,
                       const int* length, __half2* keys, __half2* values, int kv_heads, int dim,
                       int page_size) {
  const int key = blockIdx.x;
  if (key >= *length) return;
  const size_t slot = static_cast<size_t>(table[key / page_size]) * page_size + key % page_size;
  const int count = kv_heads * dim / 2;
  const __half2* k = reinterpret_cast<const __half2*>(k_cache) + slot * count;
  const __half2* v = reinterpret_cast<const __half2*>(v_cache) + slot * count;
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    keys[static_cast<size_t>(key) * count + i] = k[i];
    values[static_cast<size_t>(key) * count + i] = v[i];
  }
}

__global__ void attend(const __half* q, const __half* keys, const __half* values,
                       const int* length, __half* out, int kv_heads, int dim) {
  __shared__ float shared[128], weights[128];
  const int h = blockIdx.x, g = h / (gridDim.x / kv_heads), c = threadIdx.x;
  const size_t stride = static_cast<size_t>(kv_heads) * dim;
  shared[c] = __half2float(q[h * dim + c]) * rsqrtf(dim);
  __syncthreads();
  float max = -INFINITY, sum = 0.0f, o = 0.0f;
  for (int first = 0; first < *length; first += dim) {
    const int count = min(dim, *length - first);
    float score = -INFINITY;
    if (c < count) {
      score = 0.0f;
      const __half* k = keys + (first + c) * stride + g * dim;
      for (int i = 0; i < dim; ++i) score += shared[i] * __half2float(k[i]);
    }
    weights[c] = score;
    __syncthreads();
    float new_max = max;
    for (int i = 0; i < count; ++i) new_max = fmaxf(new_max, weights[i]);
    const float rescale = __expf(max - new_max);
    sum *= rescale;
    o *= rescale;
    for (int i = 0; i < count; ++i) {
      const float weight = __expf(weights[i] - new_max);
      sum += weight;
      o += weight * __half2float(values[(first + i) * stride + g * dim + c]);
    }
    max = new_max;
    __syncthreads();
  }
  out[h * dim + c] = __float2half(o / sum);
}

extern "C" void paged_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                const int* page_table, const int* lengths, __half* out, int batch,
                                int heads, int kv_heads, int dim, int page_size, int max_pages,
                                int pages) {
  (void)pages;
  const size_t most = static_cast<size_t>(max_pages) * page_size, all = most * kv_heads * dim;
  __half* buffer;
  cudaMalloc(&buffer, 2 * all * sizeof(__half));
  for (int s = 0; s < batch; ++s) {
    gather<<<most, 64>>>(k_cache, v_cache, page_table + static_cast<size_t>(s) * max_pages,
                         lengths + s, reinterpret_cast<__half2*>(buffer),
                         reinterpret_cast<__half2*>(buffer + all), kv_heads, dim, page_size);
    attend<<<heads, dim>>>(q + static_cast<size_t>(s) * heads * dim, buffer, buffer + all,
                           lengths + s, out + static_cast<size_t>(s) * heads * dim, kv_heads, dim);
  }
  cudaFree(buffer);
}
