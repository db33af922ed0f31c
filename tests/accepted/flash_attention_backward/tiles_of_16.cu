// A block per 16 keys with 16 queries at a time in shared memory; dQ in float, added by atomics.
// faults.toml plants mistakes in it.
#include <cuda_fp16.h>

constexpr int TILE = 16, THREADS = 128;

struct Shared {
  float q[TILE][128], d_o[TILE][128], k[TILE][128], v[TILE][128];
  float p[TILE][TILE], ds[TILE][TILE], lse[TILE], D[TILE];
};

__device__ void load(float (*to)[128], const __half* x, int first, int length, int dim) {
  for (int i = threadIdx.x; i < TILE * dim; i += THREADS) {
    const int row = first + i / dim;
    to[i / dim][i % dim] =
        row < length ? __half2float(x[static_cast<size_t>(row) * dim + i % dim]) : 0.0f;
  }
}

__global__ void key_kernel(const __half* Q, const __half* K, const __half* V, const __half* O,
                           const __half* dO, const float* lse, float* dQ, __half* dK, __half* dV,
                           int length, int dim, int causal) {
  extern __shared__ __align__(16) unsigned char bytes[];
  Shared& s = *reinterpret_cast<Shared*>(bytes);
  const int key0 = blockIdx.x * TILE, c = threadIdx.x % dim;
  const size_t rows = static_cast<size_t>(blockIdx.y) * length, head = rows * dim;
  const float scale = rsqrtf(dim);
  load(s.k, K + head, key0, length, dim);
  load(s.v, V + head, key0, length, dim);
  float dk[TILE] = {}, dv[TILE] = {};
  for (int first = causal ? key0 : 0; first < length; first += TILE) {
    __syncthreads();
    load(s.q, Q + head, first, length, dim);
    load(s.d_o, dO + head, first, length, dim);
    if (threadIdx.x < TILE) {
      const int query = first + threadIdx.x;
      float D = 0.0f;
      for (int i = 0; i < dim && query < length; ++i) {
        const size_t at = head + static_cast<size_t>(query) * dim + i;
        D += __half2float(O[at]) * __half2float(dO[at]);
      }
      s.D[threadIdx.x] = D;
      s.lse[threadIdx.x] = query < length ? lse[rows + query] : INFINITY;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < TILE * TILE; i += THREADS) {
      const int query = i / TILE, key = i % TILE;
      float score = 0.0f, dp = 0.0f;
      for (int n = 0; n < dim; ++n) {
        score += s.q[query][n] * s.k[key][n];
        dp += s.d_o[query][n] * s.v[key][n];
      }
      const bool visible = key0 + key < length && (!causal || key0 + key <= first + query);
      s.p[query][key] = visible ? expf(scale * score - s.lse[query]) : 0.0f;
      s.ds[query][key] = s.p[query][key] * (dp - s.D[query]);
    }
    __syncthreads();
    for (int query = 0; query < TILE && threadIdx.x < dim; ++query) {
      float dq = 0.0f;
      for (int key = 0; key < TILE; ++key) {
        dk[key] += s.ds[query][key] * s.q[query][c];
        dv[key] += s.p[query][key] * s.d_o[query][c];
        dq += s.ds[query][key] * s.k[key][c];
      }
      if (first + query < length)
        atomicAdd(&dQ[head + static_cast<size_t>(first + query) * dim + c], dq);
    }
  }
  for (int key = 0; key < TILE && threadIdx.x < dim; ++key) {
    if (key0 + key >= length) continue;
    dK[head + static_cast<size_t>(key0 + key) * dim + c] = __float2half(scale * dk[key]);
    dV[head + static_cast<size_t>(key0 + key) * dim + c] = __float2half(dv[key]);
  }
}

__global__ void round_kernel(const float* sums, __half* dQ, size_t n, float scale) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) dQ[i] = __float2half(scale * sums[i]);
}

extern "C" void flash_attention_backward(const __half* Q, const __half* K, const __half* V,
                                         const __half* O, const __half* dO, const float* lse,
                                         __half* dQ, __half* dK, __half* dV, int batch, int heads,
                                         int length, int dim, int causal) {
  const size_t n = static_cast<size_t>(batch) * heads * length * dim;
  float* sums;
  cudaMallocAsync(&sums, n * sizeof(float), 0);
  cudaMemsetAsync(sums, 0, n * sizeof(float));
  key_kernel<<<dim3((length + TILE - 1) / TILE, batch * heads), THREADS, sizeof(Shared)>>>(
      Q, K, V, O, dO, lse, sums, dK, dV, length, dim, causal);
  round_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(sums, dQ, n, 1.0f / sqrtf(dim));
  cudaFreeAsync(sums, 0);
}
