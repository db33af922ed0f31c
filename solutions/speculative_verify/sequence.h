#pragma once
// One sequence's rows and numbers, and the weights that its token is drawn with.

#include <cuda_runtime.h>

struct Batch {
  const int* draft_tokens;      // [batch, drafts]
  const float *draft, *target;  // [batch, drafts, vocab], [batch, drafts + 1, vocab]
  const float* uniform;         // [batch, drafts + 1]
  int drafts, vocab;
};

struct Sequence {
  const int* tokens;
  const float *p, *q, *u;
  int drafts, vocab;

  __device__ Sequence(const Batch& batch, int s)
      : tokens(batch.draft_tokens + static_cast<size_t>(s) * batch.drafts),
        p(batch.draft + static_cast<size_t>(s) * batch.drafts * batch.vocab),
        q(batch.target + static_cast<size_t>(s) * (batch.drafts + 1) * batch.vocab),
        u(batch.uniform + static_cast<size_t>(s) * (batch.drafts + 1)),
        drafts(batch.drafts),
        vocab(batch.vocab) {}

  __device__ bool accepts(int i) const {
    const size_t at = static_cast<size_t>(i) * vocab + tokens[i];
    return u[i] * p[at] < q[at];
  }

  // Drafts before the first one that is not accepted, one after the other.
  __device__ int count_accepted() const {
    int n = 0;
    while (n < drafts && accepts(n)) ++n;
    return n;
  }

  // The same by one warp: each lane has a draft, and all loads are under way at once.
  __device__ int vote_accepted() const {
    const int lane = threadIdx.x % 32;
    const bool rejects = lane >= drafts || !accepts(lane);
    return __ffs(__ballot_sync(0xffffffffu, rejects)) - 1;
  }
};

// The rows of weights after n accepted drafts.
struct Weights {
  const float *q, *p;  // p is null after the last draft

  __device__ Weights(const Sequence& s, int n)
      : q(s.q + static_cast<size_t>(n) * s.vocab),
        p(n < s.drafts ? s.p + static_cast<size_t>(n) * s.vocab : nullptr) {}

  __device__ float operator[](int v) const { return p ? fmaxf(q[v] - p[v], 0.0f) : q[v]; }
};
