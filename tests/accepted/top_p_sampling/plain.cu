// A block per row of one warp: lanes add up and bisect over float thresholds, and lane 0 walks.
// faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__device__ float warp_add(float x) {
  for (int o = 16; o > 0; o /= 2) x += __shfl_xor_sync(~0u, x, o);
  return x;
}

__global__ void sample(const float* logits, const float* p, const float* uniform, int* token,
                       int vocab) {
  const int lane = threadIdx.x;
  const float* l = logits + static_cast<size_t>(blockIdx.x) * vocab;
  float most = -INFINITY;
  for (int v = lane; v < vocab; v += 32) most = fmaxf(most, l[v]);
  for (int o = 16; o > 0; o /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, o));
  const auto weight_from = [&](float least) {
    float own = 0.0f;
    for (int v = lane; v < vocab; v += 32) own += l[v] >= least ? expf(l[v] - most) : 0.0f;
    return warp_add(own);
  };
  const float sum = weight_from(-INFINITY);
  const float wanted = p[blockIdx.x] * sum;
  // Steps of 2^-8 below the maximum: the fewest that reach p.
  int low = 0, high = 1 << 14;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (weight_from(most - middle / 256.0f) >= wanted) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  const float cut = most - low / 256.0f;
  const float above = weight_from(cut + 1.0f / 256.0f);
  int ties = 0;
  while (above + ties * expf(cut - most) < wanted && ties < vocab) ++ties;
  if (ties == 0) ties = 1;
  if (lane > 0) return;
  float n = 0.0f, running = 0.0f;
  for (int v = 0, seen = 0; v < vocab; ++v) {
    if (l[v] > cut || (l[v] == cut && seen++ < ties)) n += expf(l[v] - most);
  }
  const float bound = uniform[blockIdx.x] * n;
  int last = 0;
  for (int v = 0, seen = 0; v < vocab; ++v) {
    const bool is_in = l[v] > cut || (l[v] == cut && seen++ < ties);
    if (!is_in) continue;
    running += expf(l[v] - most);
    last = v;
    if (running > bound) break;
  }
  token[blockIdx.x] = last;
}

extern "C" void top_p_sampling(const float* logits, const float* p, const float* uniform,
                               int* token, int rows, int vocab) {
  sample<<<rows, 32>>>(logits, p, uniform, token, vocab);
}
