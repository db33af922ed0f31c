// The walk goes from the last token down: the sum of all weights above must stay below what the
// bound leaves. Sums are in double.
#include <cuda_runtime.h>

__global__ void verify(const int* draft_tokens, const float* draft_probs, const float* target_probs,
                       const float* uniform, int* accepted, int* token, int drafts, int vocab) {
  __shared__ double partial[64];
  const size_t s = blockIdx.x;
  const int tid = threadIdx.x;
  const float* u = uniform + s * (drafts + 1);
  int n = drafts;
  for (int d = drafts - 1; d >= 0; --d) {
    const size_t t = draft_tokens[s * drafts + d];
    const float q = target_probs[(s * (drafts + 1) + d) * vocab + t];
    if (q <= u[d] * draft_probs[(s * drafts + d) * vocab + t]) n = d;
  }
  const float* q = target_probs + (s * (drafts + 1) + n) * vocab;
  const float* p = draft_probs + (s * drafts + min(n, drafts - 1)) * vocab;
  const auto weight = [&](int v) -> double {
    return n == drafts ? q[v] : q[v] > p[v] ? q[v] - p[v] : 0.0f;
  };
  double own = 0;
  for (int v = tid; v < vocab; v += 64) own += weight(v);
  partial[tid] = own;
  __syncthreads();
  if (tid > 0) return;
  double sum = 0;
  for (int i = 0; i < 64; ++i) sum += partial[i];
  const double bound = u[drafts] * sum;
  double upto = sum;
  int v = vocab - 1, result = -1;
  for (; v >= 0; --v) {
    const double w = weight(v);
    if (w > 0) {
      result = v;
      if (upto - w <= bound * (1 + 1e-12)) break;
    }
    upto -= w;
  }
  accepted[s] = n;
  token[s] = result;
}

extern "C" void speculative_verify(const int* draft_tokens, const float* draft_probs,
                                   const float* target_probs, const float* uniform, int* accepted,
                                   int* token, int batch, int drafts, int vocab) {
  verify<<<batch, 64>>>(draft_tokens, draft_probs, target_probs, uniform, accepted, token, drafts,
                        vocab);
}
