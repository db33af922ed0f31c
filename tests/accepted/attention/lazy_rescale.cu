// Rescales only when a score exceeds the reference by more than 8: weights reach e^8, not 1.
#include <cuda_runtime.h>

__global__ void attention_kernel(const float* Q, const float* K, const float* V, float* O, int M,
                                 int N, int d) {
  const size_t row = blockIdx.x;
  const int lane = threadIdx.x;
  float reference = -INFINITY, sum = 0.0f, out[8] = {};
  for (size_t key = 0; key < N; ++key) {
    float s = 0.0f;
    for (int c = lane; c < d; c += 32) s += Q[row * d + c] * K[key * d + c];
    for (int o = 1; o < 32; o *= 2) s += __shfl_xor_sync(~0u, s, o);
    s *= rsqrtf(d);
    if (s > reference + 8.0f) {
      const float rescale = __expf(reference - s);
      reference = s;
      sum *= rescale;
      for (int i = 0; i < 8; ++i) out[i] *= rescale;
    }
    const float weight = __expf(s - reference);
    sum += weight;
    for (int c = lane, i = 0; c < d; c += 32, ++i) out[i] += weight * V[key * d + c];
  }
  for (int c = lane, i = 0; c < d; c += 32, ++i) O[row * d + c] = __fdividef(out[i], sum);
}

extern "C" void attention(const float* Q, const float* K, const float* V, float* O, int M, int N,
                          int d) {
  attention_kernel<<<M, 32>>>(Q, K, V, O, M, N, d);
}
