// A block per head walks chunks of 16 tokens. The state is in shared memory, and what is multiplied
// is rounded to half first: the state, keys times their power of the decay, and weighted scores.
// faults.toml plants mistakes in it.
#include <cuda_fp16.h>

constexpr int chunk = 16;

__device__ float rounded(float x) {
  return __half2float(__float2half(x));
}

__global__ void chunk_kernel(const __half* Q, const __half* K, const __half* V, const float* decay,
                             __half* O, int heads, int length, int dim) {
  extern __shared__ float state[];
  __shared__ float q[chunk][128], k[chunk][128], weighted[chunk][chunk], power[chunk + 1];
  const int col = threadIdx.x;
  const float factor = decay[blockIdx.x % heads];
  const float scale = 1.0f / sqrtf(static_cast<float>(dim));
  const size_t head = static_cast<size_t>(blockIdx.x) * length * dim;
  for (int c = 0; c < dim; ++c) state[c * dim + col] = 0.0f;
  if (col <= chunk) power[col] = powf(factor, static_cast<float>(col));
  for (int first = 0; first < length; first += chunk) {
    const int tokens = min(chunk, length - first);
    float v[chunk];
    for (int t = 0; t < chunk; ++t) {
      const size_t i = head + static_cast<size_t>(first + t) * dim + col;
      q[t][col] = t < tokens ? __half2float(Q[i]) : 0.0f;
      k[t][col] = t < tokens ? __half2float(K[i]) : 0.0f;
      v[t] = t < tokens ? __half2float(V[i]) : 0.0f;
    }
    __syncthreads();
    for (int pair = col; pair < chunk * chunk; pair += dim) {
      const int query = pair / chunk, key = pair % chunk;
      float sum = 0.0f;
      for (int c = 0; c < dim; ++c) sum += q[query][c] * k[key][c];
      weighted[query][key] = key <= query ? rounded(scale * sum * power[query - key]) : 0.0f;
    }
    __syncthreads();
    for (int t = 0; t < tokens; ++t) {
      float before = 0.0f, own = 0.0f;
      for (int c = 0; c < dim; ++c) before += q[t][c] * rounded(state[c * dim + col]);
      for (int key = 0; key <= t; ++key) own += weighted[t][key] * v[key];
      const float sum = scale * power[t + 1] * before + own;
      O[head + static_cast<size_t>(first + t) * dim + col] = __float2half(sum);
    }
    for (int c = 0; c < dim; ++c) {
      float sum = power[chunk] * state[c * dim + col];
      for (int t = 0; t < chunk; ++t) sum += rounded(k[t][c] * power[chunk - 1 - t]) * v[t];
      state[c * dim + col] = sum;
    }
    __syncthreads();
  }
}

extern "C" void linear_attention(const __half* Q, const __half* K, const __half* V,
                                 const float* decay, __half* O, int batch, int heads, int length,
                                 int dim) {
  const int bytes = dim * dim * static_cast<int>(sizeof(float));
  cudaFuncSetAttribute(chunk_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  chunk_kernel<<<batch * heads, dim, bytes>>>(Q, K, V, decay, O, heads, length, dim);
}
