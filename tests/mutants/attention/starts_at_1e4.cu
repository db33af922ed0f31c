// Fault: the maximum starts at -1e4, and all scores of a query may be lower.
#include <cuda_runtime.h>

// A warp for each query; a lane for 8 elements of the output.
__global__ void attention_kernel(const float* Q, const float* K, const float* V, float* O, int M,
                                 int N, int d) {
  const int row = blockIdx.x, lane = threadIdx.x;
  const float* q = Q + (size_t)row * d;
  float out[8] = {}, max = -1e4f, sum = 0;
  const float scale = rsqrtf((float)d);
  for (int key = 0; key < N; ++key) {
    float score = 0;
    for (int i = lane; i < d; i += 32) score += q[i] * K[(size_t)key * d + i];
    for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(0xffffffffu, score, step);
    score *= scale;
    const float higher = fmaxf(max, score);
    const float shrink = expf(max - higher), weight = expf(score - higher);
    sum = sum * shrink + weight;
    for (int j = 0; j < 8; ++j) {
      const int i = lane + 32 * j;
      if (i < d) out[j] = out[j] * shrink + weight * V[(size_t)key * d + i];
    }
    max = higher;
  }
  for (int j = 0; j < 8; ++j) {
    const int i = lane + 32 * j;
    if (i < d) O[(size_t)row * d + i] = out[j] / sum;
  }
}

extern "C" void attention(const float* Q, const float* K, const float* V, float* O, int M, int N,
                          int d) {
  attention_kernel<<<M, 32>>>(Q, K, V, O, M, N, d);
}
