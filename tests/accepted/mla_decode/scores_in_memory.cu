// Three kernels: all scores in device memory, their softmax in place, and then a thread per element
// of the output.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

constexpr int ROW = 576, LATENT = 512;

__global__ void score_kernel(const __nv_bfloat16* q, const __nv_bfloat16* cache,
                             const int* lengths, float* scores, size_t all, int heads,
                             int max_length, float scale) {
  const size_t i = (static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  const size_t head = i / max_length, key = i % max_length, s = head / heads;
  if (i >= all || key >= lengths[s]) return;
  const uint4* x = reinterpret_cast<const uint4*>(q + head * ROW);
  const uint4* y = reinterpret_cast<const uint4*>(cache + (s * max_length + key) * ROW);
  float sum = 0.0f;
  for (int c = threadIdx.x % 32; c < ROW / 8; c += 32) {
    const uint4 a = x[c], b = y[c];
    const __nv_bfloat162* first = reinterpret_cast<const __nv_bfloat162*>(&a);
    const __nv_bfloat162* second = reinterpret_cast<const __nv_bfloat162*>(&b);
    for (int p = 0; p < 4; ++p) {
      sum += __low2float(first[p]) * __low2float(second[p]);
      sum += __high2float(first[p]) * __high2float(second[p]);
    }
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) scores[head * max_length + key] = sum * scale;
}

__global__ void softmax_kernel(float* scores, const int* lengths, int heads, int max_length) {
  __shared__ float shared[256];
  const int tid = threadIdx.x, length = lengths[blockIdx.x / heads];
  float* row = scores + static_cast<size_t>(blockIdx.x) * max_length;
  const auto reduce = [&](float own, auto merge) {
    shared[tid] = own;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
      if (tid < d) shared[tid] = merge(shared[tid], shared[tid + d]);
      __syncthreads();
    }
    const float all = shared[0];
    __syncthreads();
    return all;
  };
  float max = -INFINITY, sum = 0.0f;
  for (int key = tid; key < length; key += 256) max = fmaxf(max, row[key]);
  max = reduce(max, [](float a, float b) { return fmaxf(a, b); });
  for (int key = tid; key < length; key += 256) sum += row[key] = expf(row[key] - max);
  sum = reduce(sum, [](float a, float b) { return a + b; });
  for (int key = tid; key < length; key += 256) row[key] = __fdividef(row[key], sum);
}

__global__ void output_kernel(const __nv_bfloat16* cache, const float* weights, const int* lengths,
                              __nv_bfloat16* out, int heads, int max_length) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const size_t head = i / LATENT, s = head / heads;
  const __nv_bfloat16* value = cache + s * max_length * ROW + i % LATENT;
  float sum = 0.0f;
  for (int key = 0; key < lengths[s]; ++key, value += ROW) {
    sum = fmaf(weights[head * max_length + key], __bfloat162float(*value), sum);
  }
  out[i] = __float2bfloat16_rn(sum);
}

extern "C" void mla_decode(const __nv_bfloat16* q, const __nv_bfloat16* cache, const int* lengths,
                           __nv_bfloat16* out, int batch, int heads, int max_length, float scale) {
  const size_t rows = static_cast<size_t>(batch) * heads, all = rows * max_length;
  float* scores;
  cudaMallocAsync(&scores, all * sizeof(float), 0);
  score_kernel<<<(all + 7) / 8, 256>>>(q, cache, lengths, scores, all, heads, max_length, scale);
  softmax_kernel<<<rows, 256>>>(scores, lengths, heads, max_length);
  output_kernel<<<rows * 4, 128>>>(cache, scores, lengths, out, heads, max_length);
  cudaFreeAsync(scores, 0);
}
