// Each query has a row of blocks in gridDim.y: M is at most 16384.
#include <cuda_runtime.h>

__global__ void attention_kernel(const float* Q, const float* K, const float* V, float* O, int M,
                                 int N, int d) {
  const int row = blockIdx.y;
  if (row >= M) return;
  const int lane = threadIdx.x;
  const float scale = rsqrtf(d);
  float max = -INFINITY, sum = 0.0f, out[8] = {};
  for (int first = 0; first < N; first += 32) {
    const int key = first + lane;
    float s = key < N ? 0.0f : -INFINITY;
    if (key < N) {
      const float *q = Q + static_cast<size_t>(row) * d, *k = K + static_cast<size_t>(key) * d;
      for (int c = 0; c < d; ++c) s += q[c] * k[c];
      s *= scale;
    }
    float new_max = fmaxf(max, s);
    for (int o = 16; o > 0; o /= 2) new_max = fmaxf(new_max, __shfl_xor_sync(~0u, new_max, o));
    const float rescale = __expf(max - new_max);
    const float p = __expf(s - new_max);
    sum = sum * rescale + p;
    for (int i = 0; i < 8; ++i) out[i] *= rescale;
    for (int k = 0; k < 32 && first + k < N; ++k) {
      const float weight = __shfl_sync(~0u, p, k);
      for (int i = 0; i < 8; ++i) {
        const int col = lane + 32 * i;
        if (col < d) out[i] += weight * V[static_cast<size_t>(first + k) * d + col];
      }
    }
    max = new_max;
  }
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  for (int i = 0; i < 8; ++i) {
    const int col = lane + 32 * i;
    if (col < d) O[static_cast<size_t>(row) * d + col] = out[i] / sum;
  }
}

extern "C" void attention(const float* Q, const float* K, const float* V, float* O, int M, int N,
                          int d) {
  attention_kernel<<<dim3(1, M), 32>>>(Q, K, V, O, M, N, d);
}
