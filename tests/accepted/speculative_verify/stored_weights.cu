// Four kernels: verdicts for all drafts, counts, all weights to scratch memory, and a walk by
// halving the range: which half crosses the bound is decided by its sum, in double.
#include <cuda_runtime.h>

__global__ void test(const int* draft_tokens, const float* draft_probs, const float* target_probs,
                     const float* uniform, unsigned char* verdicts, int count, int drafts,
                     int vocab) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const size_t s = i / drafts, d = i % drafts;
  const float p = draft_probs[static_cast<size_t>(i) * vocab + draft_tokens[i]];
  const float q = target_probs[(s * (drafts + 1) + d) * vocab + draft_tokens[i]];
  verdicts[i] = uniform[s * (drafts + 1) + d] * p < q;
}

__global__ void count(const unsigned char* verdicts, int* accepted, int batch, int drafts) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= batch) return;
  int n = drafts;
  for (int d = drafts - 1; d >= 0; --d) {
    if (!verdicts[s * drafts + d]) n = d;
  }
  accepted[s] = n;
}

__global__ void subtract(const float* draft_probs, const float* target_probs, const int* accepted,
                         float* weights, int drafts, int vocab) {
  const size_t s = blockIdx.x;
  const int n = accepted[s];
  for (int v = threadIdx.x; v < vocab; v += blockDim.x) {
    float w = target_probs[(s * (drafts + 1) + n) * vocab + v];
    if (n < drafts) w -= draft_probs[(s * drafts + n) * vocab + v];
    weights[s * vocab + v] = w > 0.0f ? w : 0.0f;
  }
}

__device__ double sum_of(const float* weights, int begin, int end) {
  __shared__ double sums[96];
  double own = 0;
  for (int v = begin + threadIdx.x; v < end; v += 96) own += weights[v];
  sums[threadIdx.x] = own;
  __syncthreads();
  double sum = 0;
  for (int i = 0; i < 96; ++i) sum += sums[i];
  __syncthreads();
  return sum;
}

__global__ void halve(const float* weights, const float* uniform, int* token, int drafts,
                      int vocab) {
  const size_t s = blockIdx.x;
  const float* w = weights + s * vocab;
  double bound = uniform[s * (drafts + 1) + drafts] * sum_of(w, 0, vocab);
  int begin = 0, end = vocab;
  while (end - begin > 1) {
    const int middle = (begin + end) / 2;
    const double low = sum_of(w, begin, middle);
    if (low > bound) {
      end = middle;
    } else {
      bound -= low;
      begin = middle;
    }
  }
  if (threadIdx.x == 0) token[s] = begin;
}

extern "C" void speculative_verify(const int* draft_tokens, const float* draft_probs,
                                   const float* target_probs, const float* uniform, int* accepted,
                                   int* token, int batch, int drafts, int vocab) {
  float* weights;
  unsigned char* verdicts;
  const int count_of_drafts = batch * drafts;
  cudaMalloc(&weights, sizeof(float) * batch * static_cast<size_t>(vocab));
  cudaMalloc(&verdicts, count_of_drafts);
  test<<<(count_of_drafts + 63) / 64, 64>>>(draft_tokens, draft_probs, target_probs, uniform,
                                            verdicts, count_of_drafts, drafts, vocab);
  count<<<(batch + 63) / 64, 64>>>(verdicts, accepted, batch, drafts);
  subtract<<<batch, 160>>>(draft_probs, target_probs, accepted, weights, drafts, vocab);
  halve<<<batch, 96>>>(weights, uniform, token, drafts, vocab);
  cudaFree(weights);
  cudaFree(verdicts);
}
