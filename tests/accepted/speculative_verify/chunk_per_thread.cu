// Every thread of a block has a chunk of neighbouring tokens: it adds it up, learns the sum of the
// chunks before, and the one whose chunk crosses the bound walks over it.
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void verify(const int* draft_tokens, const float* draft_probs, const float* target_probs,
                       const float* uniform, int* accepted, int* token, int drafts, int vocab) {
  __shared__ float sums[THREADS];
  __shared__ int n, crossing, last;
  const size_t s = blockIdx.x;
  const int tid = threadIdx.x;
  const float* u = uniform + s * (drafts + 1);
  if (tid == 0) n = drafts, crossing = THREADS, last = 0;
  __syncthreads();
  if (tid < drafts) {
    const size_t t = draft_tokens[s * drafts + tid];
    const float p = draft_probs[(s * drafts + tid) * vocab + t];
    const float q = target_probs[(s * (drafts + 1) + tid) * vocab + t];
    if (u[tid] * p >= q) atomicMin(&n, tid);
  }
  __syncthreads();
  const float* q = target_probs + (s * (drafts + 1) + n) * vocab;
  const float* p = n < drafts ? draft_probs + (s * drafts + n) * vocab : nullptr;
  const int chunk = (vocab + THREADS - 1) / THREADS;
  const int begin = min(tid * chunk, vocab), end = min(begin + chunk, vocab);
  float own = 0.0f;
  for (int v = begin; v < end; ++v) own += p ? fmaxf(q[v] - p[v], 0.0f) : q[v];
  sums[tid] = own;
  __syncthreads();
  float before = 0.0f, sum = 0.0f;
  for (int i = 0; i < THREADS; ++i) {
    if (i == tid) before = sum;
    sum += sums[i];
  }
  const float bound = u[drafts] * sum;
  if (own > 0.0f) atomicMax(&last, tid);
  if (own > 0.0f && before + own > bound) atomicMin(&crossing, tid);
  __syncthreads();
  if (tid != (crossing < THREADS ? crossing : last)) return;
  int result = begin;
  for (int v = begin; v < end && before <= bound; ++v) {
    const float w = p ? fmaxf(q[v] - p[v], 0.0f) : q[v];
    before += w;
    if (w > 0.0f) result = v;
  }
  accepted[s] = n;
  token[s] = result;
}

extern "C" void speculative_verify(const int* draft_tokens, const float* draft_probs,
                                   const float* target_probs, const float* uniform, int* accepted,
                                   int* token, int batch, int drafts, int vocab) {
  verify<<<batch, THREADS>>>(draft_tokens, draft_probs, target_probs, uniform, accepted, token,
                             drafts, vocab);
}
