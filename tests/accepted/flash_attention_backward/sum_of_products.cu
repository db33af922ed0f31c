// D as the sum over the keys of P dP, and not from O: a block per query with a thread per key, which
// adds to dK and dV by atomics.
#include <cuda_fp16.h>

constexpr int THREADS = 64;

__device__ float dot(const __half* x, const __half* y, int dim) {
  float sum = 0.0f;
  for (int c = 0; c < dim; ++c) sum += __half2float(x[c]) * __half2float(y[c]);
  return sum;
}

__device__ float block_sum(float value) {
  __shared__ float sums[THREADS];
  __syncthreads();
  sums[threadIdx.x] = value;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  __syncthreads();
  return sums[0];
}

__global__ void query_kernel(const __half* Q, const __half* K, const __half* V, const __half* dO,
                             const float* lse, __half* dQ, float* dK, float* dV, int length,
                             int dim, int causal) {
  const size_t head = static_cast<size_t>(blockIdx.y) * length, row = head + blockIdx.x;
  const int keys = causal ? blockIdx.x + 1 : length;
  const float scale = rsqrtf(dim);
  float products = 0.0f;
  for (int key = threadIdx.x; key < keys; key += THREADS) {
    const float s = scale * dot(Q + row * dim, K + (head + key) * dim, dim);
    products += expf(s - lse[row]) * dot(dO + row * dim, V + (head + key) * dim, dim);
  }
  const float D = block_sum(products);
  __shared__ float dq[128];
  for (int c = threadIdx.x; c < dim; c += THREADS) dq[c] = 0.0f;
  __syncthreads();
  for (int key = threadIdx.x; key < keys; key += THREADS) {
    const size_t k = (head + key) * dim;
    const float p = expf(scale * dot(Q + row * dim, K + k, dim) - lse[row]);
    const float ds = p * (dot(dO + row * dim, V + k, dim) - D);
    for (int c = 0; c < dim; ++c) {
      atomicAdd(&dq[c], ds * __half2float(K[k + c]));
      atomicAdd(&dK[k + c], ds * __half2float(Q[row * dim + c]));
      atomicAdd(&dV[k + c], p * __half2float(dO[row * dim + c]));
    }
  }
  __syncthreads();
  for (int c = threadIdx.x; c < dim; c += THREADS) dQ[row * dim + c] = __float2half(scale * dq[c]);
}

__global__ void round_kernel(const float* x, __half* y, size_t n, float factor) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __float2half(factor * x[i]);
}

extern "C" void flash_attention_backward(const __half* Q, const __half* K, const __half* V,
                                         const __half*, const __half* dO, const float* lse,
                                         __half* dQ, __half* dK, __half* dV, int batch, int heads,
                                         int length, int dim, int causal) {
  const size_t n = static_cast<size_t>(batch) * heads * length * dim;
  float* sums;
  cudaMallocAsync(&sums, 2 * n * sizeof(float), 0);
  cudaMemsetAsync(sums, 0, 2 * n * sizeof(float));
  query_kernel<<<dim3(length, batch * heads), THREADS>>>(Q, K, V, dO, lse, dQ, sums, sums + n,
                                                         length, dim, causal);
  const unsigned blocks = static_cast<unsigned>((n + 255) / 256);
  round_kernel<<<blocks, 256>>>(sums, dK, n, 1.0f / sqrtf(dim));
  round_kernel<<<blocks, 256>>>(sums + n, dV, n, 1.0f);
  cudaFreeAsync(sums, 0);
}
