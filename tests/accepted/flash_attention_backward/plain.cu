// Plain kernels: a warp per query makes dQ, a warp per key makes dK and dV. faults.toml plants
// mistakes in them.
#include <cuda_fp16.h>

struct Forward {
  const __half *Q, *K, *V, *O, *dO;
  const float* lse;
  int length, dim, causal;
};

__device__ float warp_dot(const __half* x, const __half* y, int dim) {
  float sum = 0.0f;
  for (int c = threadIdx.x; c < dim; c += 32) sum += __half2float(x[c]) * __half2float(y[c]);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  return sum;
}

__global__ void query_kernel(Forward f, __half* dQ) {
  const int query = blockIdx.x;
  const size_t head = static_cast<size_t>(blockIdx.y) * f.length;
  const size_t q = (head + query) * f.dim;
  const float scale = 1.0f / sqrtf(f.dim);
  const float D = warp_dot(f.dO + q, f.O + q, f.dim);
  float sum[4] = {};
  const int keys = f.causal ? query + 1 : f.length;
  for (int key = 0; key < keys; ++key) {
    const size_t k = (head + key) * f.dim;
    const float p = expf(scale * warp_dot(f.Q + q, f.K + k, f.dim) - f.lse[head + query]);
    const float ds = p * (warp_dot(f.dO + q, f.V + k, f.dim) - D);
    for (int i = 0; i < f.dim / 32; ++i) sum[i] += ds * __half2float(f.K[k + threadIdx.x + 32 * i]);
  }
  for (int i = 0; i < f.dim / 32; ++i) dQ[q + threadIdx.x + 32 * i] = __float2half(scale * sum[i]);
}

__global__ void key_kernel(Forward f, __half* dK, __half* dV) {
  const int key = blockIdx.x;
  const size_t head = static_cast<size_t>(blockIdx.y) * f.length;
  const size_t k = (head + key) * f.dim;
  const float scale = 1.0f / sqrtf(f.dim);
  float dk[4] = {}, dv[4] = {};
  for (int query = f.causal ? key : 0; query < f.length; ++query) {
    const size_t q = (head + query) * f.dim;
    const float p = expf(scale * warp_dot(f.Q + q, f.K + k, f.dim) - f.lse[head + query]);
    const float D = warp_dot(f.dO + q, f.O + q, f.dim);
    const float ds = p * (warp_dot(f.dO + q, f.V + k, f.dim) - D);
    for (int i = 0; i < f.dim / 32; ++i) {
      dv[i] += p * __half2float(f.dO[q + threadIdx.x + 32 * i]);
      dk[i] += ds * __half2float(f.Q[q + threadIdx.x + 32 * i]);
    }
  }
  for (int i = 0; i < f.dim / 32; ++i) {
    dK[k + threadIdx.x + 32 * i] = __float2half(scale * dk[i]);
    dV[k + threadIdx.x + 32 * i] = __float2half(dv[i]);
  }
}

extern "C" void flash_attention_backward(const __half* Q, const __half* K, const __half* V,
                                         const __half* O, const __half* dO, const float* lse,
                                         __half* dQ, __half* dK, __half* dV, int batch, int heads,
                                         int length, int dim, int causal) {
  const Forward f{Q, K, V, O, dO, lse, length, dim, causal};
  query_kernel<<<dim3(length, batch * heads), 32>>>(f, dQ);
  key_kernel<<<dim3(length, batch * heads), 32>>>(f, dK, dV);
}
