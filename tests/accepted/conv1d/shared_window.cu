// A block computes 1024 outputs from a window of x and the whole filter, both in shared memory, four outputs per thread.
#include <kata/kata.h>

namespace {
constexpr int kOutputs = 1024, kTaps = 2048;

__global__ void window(const float* x, const float* w, float* y, int n, int k) {
  __shared__ float xs[kOutputs + kTaps];
  __shared__ float ws[kTaps];
  const int outputs = n - k + 1;
  const int first = blockIdx.x * kOutputs;
  const int span = min(kOutputs + k - 1, n - first);
  for (int i = threadIdx.x; i < kOutputs + k - 1; i += 256) xs[i] = i < span ? x[first + i] : 0.0f;
  for (int i = threadIdx.x; i < k; i += 256) ws[i] = w[i];
  __syncthreads();
  float acc[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int j = k - 1; j >= 0; --j) {
    const float f = ws[j];
#pragma unroll
    for (int q = 0; q < 4; ++q) acc[q] += f * xs[threadIdx.x + 256 * q + j];
  }
  for (int q = 0; q < 4; ++q) {
    const int i = first + threadIdx.x + 256 * q;
    if (i < outputs) y[i] = acc[q];
  }
}
}  // namespace

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  window<<<kata::ceil_div(n - k + 1, kOutputs), 256>>>(x, w, y, n, k);
}
