// A block per row finds maximum and sum; the row's loss is added to a total on the device, which a last kernel divides by n.
#include <cuda_runtime.h>
#include <cfloat>

namespace {
__device__ double total;

__global__ void row_loss(const float* logits, const int* labels, int classes) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  const float* row = logits + static_cast<size_t>(blockIdx.x) * classes;
  float m = -FLT_MAX;
  for (int c = t; c < classes; c += 128) m = fmaxf(m, row[c]);
  s[t] = m;
  __syncthreads();
  for (int d = 64; d > 0; d /= 2) {
    if (t < d) s[t] = fmaxf(s[t], s[t + d]);
    __syncthreads();
  }
  m = s[0];
  __syncthreads();
  float sum = 0.0f;
  for (int c = t; c < classes; c += 128) sum += expf(row[c] - m);
  s[t] = sum;
  __syncthreads();
  for (int d = 64; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) atomicAdd(&total, static_cast<double>(logf(s[0])) + (static_cast<double>(m) - row[labels[blockIdx.x]]));
}

__global__ void mean(float* loss, int n) { *loss = static_cast<float>(total / n); }
}  // namespace

extern "C" void cross_entropy(const float* logits, const int* labels, float* loss, int n, int classes) {
  row_loss<<<n, 128>>>(logits, labels, classes);
  mean<<<1, 1>>>(loss, n);
}
