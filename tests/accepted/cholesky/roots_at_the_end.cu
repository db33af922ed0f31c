// L D L^T first, without roots, in scratch memory; then the columns are scaled by the roots of D. A
// block per matrix; thread t has rows t, t + 96, and so on.
#include <cuda_runtime.h>

constexpr int threads = 96;

__global__ void ldl_kernel(const float* A, float* L, float* scratch, int n) {
  const float* a = A + static_cast<size_t>(blockIdx.x) * n * n;
  float* l = L + static_cast<size_t>(blockIdx.x) * n * n;
  float* d = scratch + static_cast<size_t>(blockIdx.x) * n;
  for (int j = 0; j < n; ++j) {
    for (int i = threadIdx.x; i < n; i += threads) {
      float sum = a[i * n + j];
      for (int k = 0; k < j && i >= j; ++k) sum -= l[i * n + k] * d[k] * l[j * n + k];
      if (i == j) d[j] = sum;
      if (i >= j) l[i * n + j] = sum;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += threads) {
      if (i < j) l[i * n + j] = 0.0f;
      if (i == j) l[i * n + j] = 1.0f;
      if (i > j) l[i * n + j] /= d[j];
    }
    __syncthreads();
  }
  for (int at = threadIdx.x; at < n * n; at += threads) {
    if (at % n <= at / n) l[at] *= sqrtf(d[at % n]);
  }
}

extern "C" void cholesky(const float* A, float* L, int batch, int n) {
  static float* scratch = nullptr;
  static size_t size = 0;
  const size_t needed = static_cast<size_t>(batch) * n;
  if (needed > size) {
    cudaFree(scratch);
    cudaMalloc(&scratch, needed * sizeof(float));
    size = needed;
  }
  ldl_kernel<<<batch, threads>>>(A, L, scratch, n);
}
