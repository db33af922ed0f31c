// A block of 256 per row; maximum and sum come from a shrinking tree in shared memory.
#include <cuda_runtime.h>
#include <cfloat>

namespace {
__global__ void tree_rows(const float* x, float* y, int cols) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const float* in = x + static_cast<size_t>(blockIdx.x) * cols;
  float* out = y + static_cast<size_t>(blockIdx.x) * cols;
  float v = -FLT_MAX;
  for (int c = t; c < cols; c += 256) v = fmaxf(v, in[c]);
  s[t] = v;
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (t < d) {
      s[t] = fmaxf(s[t], s[t + d]);
      __syncthreads();
    }
  }
  __syncthreads();
  const float m = s[0];
  __syncthreads();
  v = 0.0f;
  for (int c = t; c < cols; c += 256) v += expf(in[c] - m);
  s[t] = v;
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (t < d) {
      s[t] += s[t + d];
      __syncthreads();
    }
  }
  __syncthreads();
  const float sum = s[0];
  for (int c = t; c < cols; c += 256) out[c] = expf(in[c] - m) / sum;
}
}  // namespace

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  tree_rows<<<rows, 256>>>(x, y, cols);
}
