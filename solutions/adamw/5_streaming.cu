// Streaming loads and stores: no array is used again, so none should stay in L2.
//
// __ldcs and __stcs mark a line as the first to evict. Without the mark, four arrays that are read
// and three that are written compete for 50 MB of L2, and a written line may wait there until it
// has to make room for a load. With it, lines are written back early, in long runs.
//
// Prediction: the bytes and instructions of the rung before. What changes is the order of reads and
// write-backs at the memory controller, which turns around less often: 1 %, 433 us at n = 2^26. At
// 2^20 the 29 MB fit L2, and the hint gains nothing.
// Measured: 457.5 us at 67108864x1000, 96 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "adamw_update.h"

constexpr unsigned THREADS = 256;

__device__ const float4* vector_at(const float* x, unsigned i) {
  return reinterpret_cast<const float4*>(x + i);
}
__device__ float4* vector_at(float* x, unsigned i) {
  return reinterpret_cast<float4*>(x + i);
}

__global__ void adamw_kernel(float* parameter, const float* gradient, float* m, float* v,
                             unsigned n, AdamW adamw) {
  const unsigned tid = blockIdx.x * THREADS + threadIdx.x;
  const unsigned vectors = n / 4;
  if (tid < vectors) {
    const unsigned i = 4 * tid;
    float4 p4 = __ldcs(vector_at(parameter, i));
    const float4 g4 = __ldcs(vector_at(gradient, i));
    float4 m4 = __ldcs(vector_at(m, i));
    float4 v4 = __ldcs(vector_at(v, i));
    adamw.update(p4.x, g4.x, m4.x, v4.x);
    adamw.update(p4.y, g4.y, m4.y, v4.y);
    adamw.update(p4.z, g4.z, m4.z, v4.z);
    adamw.update(p4.w, g4.w, m4.w, v4.w);
    __stcs(vector_at(parameter, i), p4);
    __stcs(vector_at(m, i), m4);
    __stcs(vector_at(v, i), v4);
  }
  if (tid < n % 4) {
    const unsigned i = 4 * vectors + tid;
    adamw.update(parameter[i], gradient[i], m[i], v[i]);
  }
}

extern "C" void adamw(float* parameter, const float* gradient, float* m, float* v, int n, float lr,
                      float beta1, float beta2, float eps, float weight_decay, int step) {
  const unsigned grid = kata::ceil_div(n, 4 * THREADS);
  adamw_kernel<<<grid, THREADS>>>(parameter, gradient, m, v, n,
                                  adamw_constants(lr, beta1, beta2, eps, weight_decay, step));
}
