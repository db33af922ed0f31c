// P and dS in device memory, in half, then three plain products. dS is made from the rounded P.
#include <cuda_fp16.h>

struct Shape {
  int length, dim, causal;
};

__device__ float dot(const __half* x, const __half* y, int dim) {
  float sum = 0.0f;
  for (int c = 0; c < dim; ++c) sum += __half2float(x[c]) * __half2float(y[c]);
  return sum;
}

// A thread per query and key of a head.
__global__ void scores_kernel(const __half* Q, const __half* K, const __half* V, const __half* O,
                              const __half* dO, const float* lse, __half* P, __half* dS, Shape s) {
  const int key = blockIdx.x * blockDim.x + threadIdx.x, query = blockIdx.y;
  if (key >= s.length) return;
  const size_t q = static_cast<size_t>(query) * s.dim, k = static_cast<size_t>(key) * s.dim;
  const size_t to = static_cast<size_t>(query) * s.length + key;
  P[to] = dS[to] = __float2half(0.0f);
  if (s.causal && key > query) return;
  P[to] = __float2half(expf(dot(Q + q, K + k, s.dim) / sqrtf(s.dim) - lse[query]));
  const float D = dot(dO + q, O + q, s.dim);
  dS[to] = __float2half(__half2float(P[to]) * (dot(dO + q, V + k, s.dim) - D));
}

// y[i] = scale * sum over j of W[i][j] x[j], or of W[j][i].
__global__ void product_kernel(const __half* W, const __half* x, __half* y, Shape s,
                               bool transposed, float scale) {
  const int i = blockIdx.x, col = threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < s.length; ++j) {
    const size_t at = transposed ? static_cast<size_t>(j) * s.length + i
                                 : static_cast<size_t>(i) * s.length + j;
    sum += __half2float(W[at]) * __half2float(x[static_cast<size_t>(j) * s.dim + col]);
  }
  y[static_cast<size_t>(i) * s.dim + col] = __float2half(scale * sum);
}

extern "C" void flash_attention_backward(const __half* Q, const __half* K, const __half* V,
                                         const __half* O, const __half* dO, const float* lse,
                                         __half* dQ, __half* dK, __half* dV, int batch, int heads,
                                         int length, int dim, int causal) {
  const Shape s{length, dim, causal};
  const size_t scores = static_cast<size_t>(length) * length;
  const float scale = 1.0f / sqrtf(dim);
  __half *P, *dS;
  cudaMallocAsync(&P, scores * sizeof(__half), 0);
  cudaMallocAsync(&dS, scores * sizeof(__half), 0);
  for (int head = 0; head < batch * heads; ++head) {
    const size_t row = static_cast<size_t>(head) * length, at = row * dim;
    scores_kernel<<<dim3((length + 63) / 64, length), 64>>>(Q + at, K + at, V + at, O + at, dO + at,
                                                            lse + row, P, dS, s);
    product_kernel<<<length, dim>>>(dS, K + at, dQ + at, s, false, scale);
    product_kernel<<<length, dim>>>(dS, Q + at, dK + at, s, true, scale);
    product_kernel<<<length, dim>>>(P, dO + at, dV + at, s, true, 1.0f);
  }
  cudaFreeAsync(P, 0);
  cudaFreeAsync(dS, 0);
}
