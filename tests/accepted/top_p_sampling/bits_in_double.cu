// The cut is the bits of a float, found from the highest bit down, and all sums are in double. The
// largest logit comes from an atomic maximum over keys with indices.
#include <cuda_runtime.h>

constexpr int THREADS = 32;

__device__ unsigned key_of(float x) {
  const unsigned bits = __float_as_uint(x);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__device__ double warp_add(double x) {
  for (int o = 16; o > 0; o /= 2) x += __shfl_xor_sync(~0u, x, o);
  return x;
}

__global__ void sample(const float* logits, const float* p, const float* uniform, int* token,
                       int vocab) {
  __shared__ unsigned long long best;
  const int tid = threadIdx.x;
  const float* l = logits + static_cast<size_t>(blockIdx.x) * vocab;
  if (tid == 0) best = 0;
  __syncthreads();
  for (int v = tid; v < vocab; v += THREADS) {
    atomicMax(&best, static_cast<unsigned long long>(key_of(l[v])) << 32 | ~static_cast<unsigned>(v));
  }
  __syncthreads();
  const float most = l[~static_cast<unsigned>(best)];
  double own = 0;
  for (int v = tid; v < vocab; v += THREADS) own += expf(l[v] - most);
  const double wanted = p[blockIdx.x] * warp_add(own);
  unsigned cut = 0;
  for (int bit = 31; bit >= 0; --bit) {
    const unsigned trial = cut | 1u << bit;
    own = 0;
    for (int v = tid; v < vocab; v += THREADS) {
      if (key_of(l[v]) >= trial) own += expf(l[v] - most);
    }
    if (warp_add(own) >= wanted) cut = trial;
  }
  double above = 0;
  for (int v = tid; v < vocab; v += THREADS) {
    if (key_of(l[v]) > cut) above += expf(l[v] - most);
  }
  above = warp_add(above);
  if (tid > 0) return;
  int last = 0;
  const auto walk = [&](double bound) {
    double upto_cut = above, running = 0;
    for (int v = 0; v < vocab; ++v) {
      const unsigned key = key_of(l[v]);
      if (key < cut) continue;
      const double w = expf(l[v] - most);
      if (key == cut) {
        if (upto_cut > above && upto_cut >= wanted) continue;
        upto_cut += w;
      }
      running += w;
      last = v;
      if (running > bound) break;
    }
    return running;
  };
  walk(uniform[blockIdx.x] * walk(1e30));
  token[blockIdx.x] = last;
}

extern "C" void top_p_sampling(const float* logits, const float* p, const float* uniform,
                               int* token, int rows, int vocab) {
  sample<<<rows, THREADS>>>(logits, p, uniform, token, vocab);
}
