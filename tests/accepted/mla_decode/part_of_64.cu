// A block per head and 64 rows, with the scores in shared memory; a second kernel merges the parts
// by the logarithms of their sums.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

constexpr int ROW = 576, LATENT = 512, KEYS = 64;

__global__ void part_kernel(const __nv_bfloat16* q, const __nv_bfloat16* cache, const int* lengths,
                            float* outputs, float* logs, int heads, int max_length, float scale) {
  __shared__ float scores[KEYS];
  const int parts = gridDim.x, part = blockIdx.x, s = blockIdx.y / heads, tid = threadIdx.x;
  const size_t place = static_cast<size_t>(blockIdx.y) * parts + part;
  const int keys = min(KEYS, lengths[s] - part * KEYS);
  if (keys <= 0) {
    if (tid == 0) logs[place] = -INFINITY;
    return;
  }
  const __nv_bfloat16* rows = cache + (static_cast<size_t>(s) * max_length + part * KEYS) * ROW;
  const __nv_bfloat16* query = q + static_cast<size_t>(blockIdx.y) * ROW;
  for (int key = tid / 32; key < keys; key += blockDim.x / 32) {
    float score = 0.0f;
    for (int c = tid % 32; c < ROW; c += 32) {
      score += __bfloat162float(query[c]) * __bfloat162float(rows[key * ROW + c]);
    }
    for (int x = 16; x > 0; x /= 2) score += __shfl_down_sync(~0u, score, x);
    if (tid % 32 == 0) scores[key] = scale * score;
  }
  __syncthreads();
  float max = -INFINITY, sum = 0.0f;
  for (int key = 0; key < keys; ++key) max = fmaxf(max, scores[key]);
  for (int key = 0; key < keys; ++key) sum += __expf(scores[key] - max);
  for (int c = tid; c < LATENT; c += blockDim.x) {
    float o = 0.0f;
    for (int key = 0; key < keys; ++key) {
      o += __expf(scores[key] - max) * __bfloat162float(rows[key * ROW + c]);
    }
    outputs[place * LATENT + c] = o / sum;
  }
  if (tid == 0) logs[place] = max + __logf(sum);
}

__global__ void merge_kernel(const float* outputs, const float* logs, __nv_bfloat16* out,
                             int parts) {
  const size_t first = static_cast<size_t>(blockIdx.x) * parts;
  float max = -INFINITY, sum = 0.0f, o = 0.0f;
  for (int p = 0; p < parts; ++p) max = fmaxf(max, logs[first + p]);
  for (int p = 0; p < parts; ++p) {
    if (logs[first + p] == -INFINITY) continue;
    const float weight = __expf(logs[first + p] - max);
    sum += weight;
    o += weight * outputs[(first + p) * LATENT + threadIdx.x];
  }
  out[static_cast<size_t>(blockIdx.x) * LATENT + threadIdx.x] = __float2bfloat16(o / sum);
}

extern "C" void mla_decode(const __nv_bfloat16* q, const __nv_bfloat16* cache, const int* lengths,
                           __nv_bfloat16* out, int batch, int heads, int max_length, float scale) {
  const int parts = (max_length + KEYS - 1) / KEYS, rows = batch * heads;
  const size_t all = static_cast<size_t>(rows) * parts;
  float* outputs;
  cudaMalloc(&outputs, all * (LATENT + 1) * sizeof(float));
  float* logs = outputs + all * LATENT;
  part_kernel<<<dim3(parts, rows), 128>>>(q, cache, lengths, outputs, logs, heads, max_length,
                                          scale);
  merge_kernel<<<rows, LATENT>>>(outputs, logs, out, parts);
  cudaFree(outputs);
}
