// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int KEYS = 32;  // in a part

__global__ void part_kernel(const __half* q, const __half* k_cache, const __half* v_cache,
                            const int* lengths, float* parts, int heads, int kv_heads,
                            int max_length, int dim) {
  const size_t row = blockIdx.x;
  const int b = row / heads, h = row % heads, lane = threadIdx.x;
  const int g = h / (heads / kv_heads);
  const int begin = blockIdx.y * KEYS;
  const int end = min(begin + KEYS, lengths[b]);
  float* part = parts + (row * gridDim.y + blockIdx.y) * (dim + 2);
  float max = -INFINITY, sum = 0.0f, o[4] = {};
  for (int key = begin; key < end; ++key) {
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
  if (lane == 0) part[dim] = max, part[dim + 1] = sum;
  for (int c = lane, i = 0; c < dim; c += 32, ++i) part[c] = o[i];
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

extern "C" void decode_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                 const int* lengths, __half* out, int batch, int heads,
                                 int kv_heads, int max_length, int dim) {
  const int count = (max_length + KEYS - 1) / KEYS;
  float* parts;
  cudaMalloc(&parts, sizeof(float) * batch * heads * count * (dim + 2));
  part_kernel<<<dim3(batch * heads, count), 32>>>(q, k_cache, v_cache, lengths, parts, heads,
                                                  kv_heads, max_length, dim);
  merge_kernel<<<batch * heads, dim>>>(parts, out, count, dim);
  cudaFree(parts);
}
