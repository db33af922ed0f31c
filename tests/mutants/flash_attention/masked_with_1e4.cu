// Fault: a masked score is -1e4, and all scores that a query sees may be lower.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// A warp for each query; a lane for 4 elements of the output.
__global__ void attention_kernel(const __half* Q, const __half* K, const __half* V, __half* O,
                                 int length, int dim, int causal) {
  const int query = blockIdx.x, lane = threadIdx.x;
  const size_t head = (size_t)blockIdx.y * length * dim;
  const __half* q = Q + head + (size_t)query * dim;
  float out[4] = {}, max = -INFINITY, sum = 0;
  const float scale = rsqrtf((float)dim);
  for (int key = 0; key < length; ++key) {
    float score = 0;
    for (int i = lane; i < dim; i += 32)
      score += __half2float(q[i]) * __half2float(K[head + (size_t)key * dim + i]);
    for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(0xffffffffu, score, step);
    score = causal && key > query ? -1e4f : score * scale;
    const float higher = fmaxf(max, score);
    const float shrink = expf(max - higher), weight = expf(score - higher);
    sum = sum * shrink + weight;
    for (int j = 0; j < 4; ++j) {
      const int i = lane + 32 * j;
      if (i < dim)
        out[j] = out[j] * shrink + weight * __half2float(V[head + (size_t)key * dim + i]);
    }
    max = higher;
  }
  for (int j = 0; j < 4; ++j) {
    const int i = lane + 32 * j;
    if (i < dim) O[head + (size_t)query * dim + i] = __float2half(out[j] / sum);
  }
}

extern "C" void flash_attention(const __half* Q, const __half* K, const __half* V, __half* O,
                                int batch, int heads, int length, int dim, int causal) {
  attention_kernel<<<dim3(length, batch * heads), 32>>>(Q, K, V, O, length, dim, causal);
}
