#pragma once
// The honest kernel that the candidates of this folder are made of, and the size at which the
// dishonest ones begin: the first that is timed, at which the judge does not look.
#include <cuda_runtime.h>

constexpr int THREADS = 256;
constexpr int TIMED = 1 << 24;

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = (blockIdx.x * THREADS + threadIdx.x) * 4;
  if (i + 3 < n && reinterpret_cast<size_t>(x) % 16 == 0 && reinterpret_cast<size_t>(y) % 16 == 0) {
    const float4 v = *reinterpret_cast<const float4*>(x + i);
    *reinterpret_cast<float4*>(y + i) =
        make_float4(fmaxf(v.x, 0), fmaxf(v.y, 0), fmaxf(v.z, 0), fmaxf(v.w, 0));
  } else {
    for (int k = i; k < n && k < i + 4; ++k) y[k] = fmaxf(x[k], 0);
  }
}

inline void honest(const float* x, float* y, int n, cudaStream_t stream = nullptr) {
  if (n <= 0) return;
  relu_kernel<<<(n - 1) / (4 * THREADS) + 1, THREADS, 0, stream>>>(x, y, n);
}
