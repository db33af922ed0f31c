// Mean first, then the squares of the distances from it, both summed in double; blocks of 320 threads take rows in turn.
#include <kata/kata.h>

namespace {
constexpr int kThreads = 320;

__device__ double sum_all(double v, double* slots) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0.0;
  for (int w = 0; w < kThreads / 32; ++w) v += slots[w];
  __syncthreads();
  return v;
}

__global__ void rows_kernel(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols,
                            float eps) {
  __shared__ double slots[kThreads / 32];
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const float* in = x + static_cast<size_t>(r) * cols;
    float* out = y + static_cast<size_t>(r) * cols;
    double t = 0.0;
    for (int c = threadIdx.x; c < cols; c += kThreads) t += in[c];
    const double mean = sum_all(t, slots) / cols;
    t = 0.0;
    for (int c = threadIdx.x; c < cols; c += kThreads) {
      const double d = in[c] - mean;
      t += d * d;
    }
    const double scale = 1.0 / sqrt(sum_all(t, slots) / cols + eps);
    for (int c = threadIdx.x; c < cols; c += kThreads)
      out[c] = static_cast<float>((in[c] - mean) * scale) * gamma[c] + beta[c];
  }
}
}  // namespace

extern "C" void layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols,
                          float eps) {
  rows_kernel<<<rows < 3000 ? rows : 3000, kThreads>>>(x, gamma, beta, y, rows, cols, eps);
}
