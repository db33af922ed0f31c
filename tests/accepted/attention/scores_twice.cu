// Scores are computed twice: first for max + log(sum), then for weights that need no division.
#include <cuda_runtime.h>

__device__ float score(const float* q, const float* k, int d) {
  float s = 0.0f;
  for (int c = 0; c < d; ++c) s += q[c] * k[c];
  return s * 1.44269504f * rsqrtf(d);  // in units of log 2
}

__global__ void logarithm_kernel(const float* Q, const float* K, float* O, int N, int d) {
  const size_t row = blockIdx.x;
  __shared__ float shared[64];
  float max = -INFINITY;
  for (size_t key = threadIdx.x; key < N; key += 64) {
    max = fmaxf(max, score(Q + row * d, K + key * d, d));
  }
  shared[threadIdx.x] = max;
  __syncthreads();
  for (int i = 0; i < 64; ++i) max = fmaxf(max, shared[i]);
  __syncthreads();
  float sum = 0.0f;
  for (size_t key = threadIdx.x; key < N; key += 64) {
    sum += exp2f(score(Q + row * d, K + key * d, d) - max);
  }
  shared[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  sum = 0.0f;
  for (int i = 63; i >= 0; --i) sum += shared[i];
  O[row * d] = max + log2f(sum);
}

// The first column of O holds what the first kernel has left; it is overwritten last.
__global__ void output_kernel(const float* Q, const float* K, const float* V, float* O, int N,
                              int d) {
  const size_t row = blockIdx.x;
  const float logarithm = O[row * d];
  __syncthreads();
  for (int c = threadIdx.x; c < d; c += 64) {
    float out = 0.0f;
    for (size_t key = 0; key < N; ++key) {
      out += exp2f(score(Q + row * d, K + key * d, d) - logarithm) * V[key * d + c];
    }
    O[row * d + c] = out;
  }
}

extern "C" void attention(const float* Q, const float* K, const float* V, float* O, int M, int N,
                          int d) {
  logarithm_kernel<<<M, 64>>>(Q, K, O, N, d);
  output_kernel<<<M, 64>>>(Q, K, V, O, N, d);
}
