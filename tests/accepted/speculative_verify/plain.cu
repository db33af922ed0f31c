// A block per sequence of one warp: every lane tests the drafts, lanes add up, and lane 0 walks.
// faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void verify(const int* draft_tokens, const float* draft_probs, const float* target_probs,
                       const float* uniform, int* accepted, int* token, int drafts, int vocab) {
  const size_t s = blockIdx.x;
  const int lane = threadIdx.x;
  const float* p = draft_probs + s * drafts * vocab;
  const float* q = target_probs + s * (drafts + 1) * vocab;
  const float* u = uniform + s * (drafts + 1);
  int n = 0;
  while (n < drafts) {
    const int t = draft_tokens[s * drafts + n];
    if (!(u[n] * p[n * vocab + t] < q[n * vocab + t])) break;
    ++n;
  }
  const auto weight = [&](int v) {
    const float target = q[n * vocab + v];
    return n < drafts ? fmaxf(target - p[n * vocab + v], 0.0f) : target;
  };
  float sum = 0.0f;
  for (int v = lane; v < vocab; v += 32) sum += weight(v);
  for (int x = 16; x > 0; x /= 2) sum += __shfl_xor_sync(~0u, sum, x);
  if (lane > 0) return;
  const float bound = u[drafts] * sum;
  float running = 0.0f;
  int last = 0;
  for (int v = 0; v < vocab; ++v) {
    const float w = weight(v);
    running += w;
    if (w > 0.0f) last = v;
    if (running > bound) break;
  }
  accepted[s] = n;
  token[s] = last;
}

extern "C" void speculative_verify(const int* draft_tokens, const float* draft_probs,
                                   const float* target_probs, const float* uniform, int* accepted,
                                   int* token, int batch, int drafts, int vocab) {
  verify<<<batch, 32>>>(draft_tokens, draft_probs, target_probs, uniform, accepted, token, drafts,
                        vocab);
}
