// Right: a cluster of 4 blocks per row, whose sums meet in distributed shared memory; the mean is
// corrected by the mean of the residuals before the variance is taken
#include <cooperative_groups.h>

#include <kata/kata.h>

namespace cg = cooperative_groups;

constexpr int kBlocks = 4;
constexpr int kThreads = 128;

// The sum over all threads of the cluster, for all of them. Every call has a place of its own.
__device__ float cluster_sum(float v, float* mine, float* part) {
  cg::cluster_group cluster = cg::this_cluster();
  for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(0xffffffffu, v, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    for (int w = 0; w < kThreads / 32; ++w) sum += part[w];
    *mine = sum;
  }
  cluster.sync();
  float sum = 0.0f;
  for (int r = 0; r < kBlocks; ++r) sum += *cluster.map_shared_rank(mine, r);
  return sum;
}

__global__ void __cluster_dims__(kBlocks, 1, 1) __launch_bounds__(kThreads)
    layernorm_kernel(const float* __restrict__ x, const float* __restrict__ gamma,
                     const float* __restrict__ beta, float* __restrict__ y, int cols, float eps) {
  __shared__ float sums[3];
  __shared__ float part[3][kThreads / 32];
  const size_t row = blockIdx.x / kBlocks;
  const float* in = x + row * cols;
  float* out = y + row * cols;
  const int first = blockIdx.x % kBlocks * kThreads + threadIdx.x;
  const int stride = kBlocks * kThreads;

  float s = 0.0f;
  for (int c = first; c < cols; c += stride) s += in[c];
  const float rough = cluster_sum(s, &sums[0], part[0]) / cols;
  s = 0.0f;
  for (int c = first; c < cols; c += stride) s += in[c] - rough;
  const float mean = rough + cluster_sum(s, &sums[1], part[1]) / cols;
  s = 0.0f;
  for (int c = first; c < cols; c += stride) {
    const float d = in[c] - mean;
    s += d * d;
  }
  const float var = cluster_sum(s, &sums[2], part[2]) / cols;
  const float scale = 1.0f / sqrtf(var + eps);
  for (int c = first; c < cols; c += stride) out[c] = (in[c] - mean) * scale * gamma[c] + beta[c];
  cg::this_cluster().sync();  // no block may leave while others still read its sums
}

extern "C" void layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows,
                          int cols, float eps) {
  layernorm_kernel<<<static_cast<unsigned>(rows) * kBlocks, kThreads>>>(x, gamma, beta, y, cols,
                                                                        eps);
}
