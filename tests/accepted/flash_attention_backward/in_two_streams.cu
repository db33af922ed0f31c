// dQ in one stream, dK and dV in another one. A warp has a row, and a lane one of 32 rows of the
// other side; P and dS go round by shuffles.
#include <cuda_fp16.h>

struct Forward {
  const __half *Q, *K, *V, *O, *dO;
  const float* lse;
  int length, dim, causal;
};

// P and dS of one query and key of a head.
__device__ float2 weights_of(const Forward& f, size_t head, int query, int key) {
  if (query >= f.length || key >= f.length || (f.causal && key > query)) return make_float2(0, 0);
  const size_t q = (head + query) * f.dim, k = (head + key) * f.dim;
  float s = 0.0f, dp = 0.0f, D = 0.0f;
  for (int c = 0; c < f.dim; ++c) {
    s += __half2float(f.Q[q + c]) * __half2float(f.K[k + c]);
    dp += __half2float(f.dO[q + c]) * __half2float(f.V[k + c]);
    D += __half2float(f.dO[q + c]) * __half2float(f.O[q + c]);
  }
  const float p = __expf(s / sqrtf(f.dim) - f.lse[head + query]);
  return make_float2(p, p * (dp - D));
}

__global__ void query_kernel(Forward f, __half* dQ) {
  const int query = blockIdx.x;
  const size_t head = static_cast<size_t>(blockIdx.y) * f.length;
  float2 sum[2] = {};
  for (int first = 0; first < f.length; first += 32) {
    const float ds = weights_of(f, head, query, first + threadIdx.x).y;
    for (int j = 0; j < 32 && first + j < f.length; ++j) {
      const float weight = __shfl_sync(0xffffffffu, ds, j);
      const __half2* k = reinterpret_cast<const __half2*>(f.K + (head + first + j) * f.dim);
      for (int i = 0; i < f.dim / 64; ++i) {
        const float2 x = __half22float2(k[threadIdx.x + 32 * i]);
        sum[i] = make_float2(sum[i].x + weight * x.x, sum[i].y + weight * x.y);
      }
    }
  }
  for (int i = 0; i < f.dim / 64; ++i) {
    const size_t to = (head + query) * f.dim / 2 + threadIdx.x + 32 * i;
    reinterpret_cast<__half2*>(dQ)[to] =
        __floats2half2_rn(sum[i].x / sqrtf(f.dim), sum[i].y / sqrtf(f.dim));
  }
}

__global__ void key_kernel(Forward f, __half* dK, __half* dV) {
  const int key = blockIdx.x;
  const size_t head = static_cast<size_t>(blockIdx.y) * f.length;
  float dk[4] = {}, dv[4] = {};
  for (int first = 0; first < f.length; first += 32) {
    const float2 own = weights_of(f, head, first + threadIdx.x, key);
    for (int j = 0; j < 32 && first + j < f.length; ++j) {
      const float p = __shfl_sync(0xffffffffu, own.x, j), ds = __shfl_sync(0xffffffffu, own.y, j);
      const size_t q = (head + first + j) * f.dim;
      for (int i = 0; i < f.dim / 32; ++i) {
        dv[i] += p * __half2float(f.dO[q + threadIdx.x + 32 * i]);
        dk[i] += ds * __half2float(f.Q[q + threadIdx.x + 32 * i]);
      }
    }
  }
  for (int i = 0; i < f.dim / 32; ++i) {
    const size_t to = (head + key) * f.dim + threadIdx.x + 32 * i;
    dK[to] = __float2half(dk[i] / sqrtf(f.dim));
    dV[to] = __float2half(dv[i]);
  }
}

extern "C" void flash_attention_backward(const __half* Q, const __half* K, const __half* V,
                                         const __half* O, const __half* dO, const float* lse,
                                         __half* dQ, __half* dK, __half* dV, int batch, int heads,
                                         int length, int dim, int causal) {
  const Forward f{Q, K, V, O, dO, lse, length, dim, causal};
  const dim3 grid(length, batch * heads);
  cudaStream_t other;
  cudaEvent_t start, end;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&start, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&end, cudaEventDisableTiming);
  cudaEventRecord(start, 0);
  cudaStreamWaitEvent(other, start, 0);
  key_kernel<<<grid, 32, 0, other>>>(f, dK, dV);
  cudaEventRecord(end, other);
  query_kernel<<<grid, 32>>>(f, dQ);
  cudaStreamWaitEvent(0, end, 0);
  cudaEventDestroy(start);
  cudaEventDestroy(end);
  cudaStreamDestroy(other);
}
