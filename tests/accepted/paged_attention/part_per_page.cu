// A block per page and head, whose scores are in shared memory; a second kernel merges the pages.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void page_kernel(const __half* q, const __half* k_cache, const __half* v_cache,
                            const int* page_table, const int* lengths, float* parts, int heads,
                            int kv_heads, int dim, int page_size) {
  __shared__ float scores[64];
  const int max_pages = gridDim.y, p = blockIdx.y, c = threadIdx.x;
  const size_t row = blockIdx.x;
  const int s = row / heads, g = row % heads / (heads / kv_heads);
  const int keys = min(page_size, lengths[s] - p * page_size);
  float* part = parts + (row * max_pages + p) * (dim + 2);
  if (keys <= 0) {
    if (c == 0) part[dim] = -INFINITY, part[dim + 1] = 0.0f;
    part[c] = 0.0f;
    return;
  }
  const size_t first = static_cast<size_t>(page_table[s * max_pages + p]) * page_size;
  for (int key = c; key < keys; key += blockDim.x) {
    const __half* k = k_cache + ((first + key) * kv_heads + g) * dim;
    float score = 0.0f;
    for (int i = 0; i < dim; ++i) score += __half2float(q[row * dim + i]) * __half2float(k[i]);
    scores[key] = score / sqrtf(dim);
  }
  __syncthreads();
  float max = -INFINITY;
  for (int key = 0; key < keys; ++key) max = fmaxf(max, scores[key]);
  float sum = 0.0f, o = 0.0f;
  for (int key = 0; key < keys; ++key) {
    const float weight = __expf(scores[key] - max);
    sum += weight;
    o += weight * __half2float(v_cache[((first + key) * kv_heads + g) * dim + c]);
  }
  if (c == 0) part[dim] = max, part[dim + 1] = sum;
  part[c] = o;
}

__global__ void merge_kernel(const float* parts, __half* out, int count, int dim) {
  const size_t row = blockIdx.x;
  const float* first = parts + row * count * (dim + 2);
  float max = -INFINITY;
  for (int p = 0; p < count; ++p) max = fmaxf(max, first[p * (dim + 2) + dim]);
  float sum = 0.0f, o = 0.0f;
  for (int p = 0; p < count; ++p) {
    const float* part = first + p * (dim + 2);
    const float weight = __expf(part[dim] - max);
    sum += weight * part[dim + 1];
    o += weight * part[threadIdx.x];
  }
  out[row * dim + threadIdx.x] = __float2half(o / sum);
}

extern "C" void paged_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                const int* page_table, const int* lengths, __half* out, int batch,
                                int heads, int kv_heads, int dim, int page_size, int max_pages,
                                int pages) {
  (void)pages;
  float* parts;
  cudaMalloc(&parts, sizeof(float) * batch * heads * max_pages * (dim + 2));
  page_kernel<<<dim3(batch * heads, max_pages), dim>>>(q, k_cache, v_cache, page_table, lengths,
                                                       parts, heads, kv_heads, dim, page_size);
  merge_kernel<<<batch * heads, dim>>>(parts, out, max_pages, dim);
  cudaFree(parts);
}
