// A thread per query, and the online rule for each key by itself.
#include <cuda_runtime.h>

__global__ void attention_kernel(const float* Q, const float* K, const float* V, float* O, int M,
                                 int N, int d) {
  const size_t row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M) return;
  float max = -1e38f, sum = 0.0f, out[256] = {};
  for (size_t key = 0; key < N; ++key) {
    float s = 0.0f;
    for (int c = 0; c < d; ++c) s += Q[row * d + c] * K[key * d + c];
    s /= sqrtf(d);
    const float new_max = fmaxf(max, s);
    const float rescale = expf(max - new_max), weight = expf(s - new_max);
    sum = sum * rescale + weight;
    for (int c = 0; c < d; ++c) out[c] = out[c] * rescale + weight * V[key * d + c];
    max = new_max;
  }
  for (int c = 0; c < d; ++c) O[row * d + c] = out[c] / sum;
}

extern "C" void attention(const float* Q, const float* K, const float* V, float* O, int M, int N,
                          int d) {
  attention_kernel<<<(M + 31) / 32, 32>>>(Q, K, V, O, M, N, d);
}
