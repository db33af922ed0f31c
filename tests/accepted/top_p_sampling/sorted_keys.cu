// Rows of up to 1024 tokens are sorted by rank: each token counts those before it in the order.
// Longer rows are cut by floats added to bins, with atomics: 2048 bins of 1/32, then the 8 values
// of one bin.
#include <cuda_runtime.h>

constexpr int THREADS = 256;
constexpr int BINS = 2048;

__device__ float largest_of(const float* l, int vocab) {
  __shared__ float of_thread[THREADS];
  float most = -INFINITY;
  for (int v = threadIdx.x; v < vocab; v += THREADS) most = fmaxf(most, l[v]);
  of_thread[threadIdx.x] = most;
  __syncthreads();
  for (int i = 0; i < THREADS; ++i) most = fmaxf(most, of_thread[i]);
  return most;
}

// By one thread.
__device__ int walk(const float* l, float most, float cut, int ties, float number, int vocab) {
  float bound = 3e38f;
  int last = 0;
  for (int round = 0; round < 2; ++round) {
    float running = 0.0f;
    for (int v = 0, seen = 0; v < vocab && running <= bound; ++v) {
      if (l[v] < cut || (l[v] == cut && seen++ >= ties)) continue;
      running += __expf(l[v] - most);
      last = v;
    }
    bound = number * running;
  }
  return last;
}

__global__ void by_rank(const float* logits, const float* p, const float* uniform, int* token,
                        int vocab) {
  __shared__ float sorted[1024];
  const float* l = logits + static_cast<size_t>(blockIdx.x) * vocab;
  const float most = largest_of(l, vocab);
  for (int v = threadIdx.x; v < vocab; v += THREADS) {
    int rank = 0;
    for (int w = 0; w < vocab; ++w) rank += l[w] > l[v] || (l[w] == l[v] && w < v);
    sorted[rank] = l[v];
  }
  __syncthreads();
  if (threadIdx.x > 0) return;
  double sum = 0, running = 0;
  for (int i = 0; i < vocab; ++i) sum += __expf(sorted[i] - most);
  int i = 0, ties = 0;
  for (; i < vocab; ++i) {
    ties = i > 0 && sorted[i] == sorted[i - 1] ? ties + 1 : 1;
    running += __expf(sorted[i] - most);
    if (running >= p[blockIdx.x] * sum) break;
  }
  if (i == vocab) --i;
  token[blockIdx.x] = walk(l, most, sorted[i], ties, uniform[blockIdx.x], vocab);
}

__global__ void by_bins(const float* logits, const float* p, const float* uniform, int* token,
                        int vocab) {
  __shared__ float bins[BINS], values[8];
  __shared__ int bin, counts[8];
  __shared__ float before;
  const float* l = logits + static_cast<size_t>(blockIdx.x) * vocab;
  const float most = largest_of(l, vocab);
  for (int b = threadIdx.x; b < BINS; b += THREADS) bins[b] = 0.0f;
  if (threadIdx.x < 8) values[threadIdx.x] = 0.0f, counts[threadIdx.x] = 0;
  __syncthreads();
  const auto bin_of = [&](int v) {
    return static_cast<int>(fminf((most - l[v]) * 32.0f, BINS - 1.0f));
  };
  for (int v = threadIdx.x; v < vocab; v += THREADS) {
    atomicAdd(&bins[bin_of(v)], expf(l[v] - most));
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0.0f, running = 0.0f;
    for (int b = 0; b < BINS; ++b) sum += bins[b];
    int last = 0;
    bin = -1;
    for (int b = 0; b < BINS && bin < 0; ++b) {
      if (bins[b] == 0.0f) continue;
      last = b;
      if (running + bins[b] >= p[blockIdx.x] * sum) {
        bin = b;
      } else {
        running += bins[b];
      }
    }
    if (bin < 0) bin = last, running -= bins[last];
    before = p[blockIdx.x] * sum - running;  // what the bin's tokens must have
  }
  __syncthreads();
  for (int v = threadIdx.x; v < vocab; v += THREADS) {
    if (bin_of(v) != bin) continue;
    atomicAdd(&counts[static_cast<int>((most - l[v]) * 256.0f) % 8], 1);
  }
  __syncthreads();
  if (threadIdx.x > 0) return;
  float running = 0.0f, cut = most;
  int ties = 1;
  for (int i = 0; i < 8; ++i) {
    if (counts[i] == 0) continue;
    cut = most - (bin * 8 + i) / 256.0f;
    const float w = expf(cut - most);
    ties = max(1, static_cast<int>(fminf(ceilf((before - running) / w), 1e6f)));
    running += counts[i] * w;
    if (running >= before) break;
  }
  token[blockIdx.x] = walk(l, most, cut, ties, uniform[blockIdx.x], vocab);
}

extern "C" void top_p_sampling(const float* logits, const float* p, const float* uniform,
                               int* token, int rows, int vocab) {
  if (vocab <= 1024) {
    by_rank<<<rows, THREADS>>>(logits, p, uniform, token, vocab);
  } else {
    by_bins<<<rows, THREADS>>>(logits, p, uniform, token, vocab);
  }
}
